"""Which stored lines speak of an attempt, and what they are worth there.

Lines of others join an attempt only by hosts that are asserted, and count only where their sender's
part asserted such lines when they came in. What its own tenant sent counts in its own incident; it
is a claim there where the tenant's part does not run the thing. A vendor speaks of parts that many
sessions use: only of those that are known to serve this one. The rest of it is supposed.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime

from django.db.models import Q

from apps.diagnosis.model import Anomaly, Stream
from apps.diagnosis.model import Event as Fact
from apps.diagnosis.reasoning.scope.jobs.node_lists import NodeLists
from apps.diagnosis.whole_names import says
from apps.fleet.authority.agreed_terms import authority_of
from apps.fleet.authority.rules import Subject, subject_of
from apps.fleet.hosts import host_names
from apps.fleet.models import Attempt, Session
from apps.telemetry.attempts.line_senders import LineSenders
from apps.telemetry.attempts.line_subjects import PHYSICAL, subjects_of, subjects_of_row
from apps.telemetry.attempts.related_parts import Surroundings, all_named, parts_named, surroundings
from apps.telemetry.models import Event, LogStream

OF_HOSTS = frozenset({Stream.KERNEL, Stream.BMC, Stream.ALERTS})
SHARED = frozenset({Stream.SCHEDULER, Stream.STORAGE, Stream.FABRIC})


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """One attempt, its hosts by what they rest on, and who may say what of them."""

    attempt: Attempt
    senders: LineSenders
    aliases: dict[str, str]
    names: frozenset[str]  # of its hosts, also those that are only claimed
    asserted: frozenset[str]
    own: frozenset[str]  # what its session is called
    foreign: frozenset[str]  # what other sessions are called that who runs the cluster told of
    around: Surroundings
    lists: NodeLists = field(default_factory=NodeLists)

    def counts(self, stream: LogStream) -> bool:
        """Say whether lines of a stream as a whole count for this attempt."""
        subject = subject_of(stream=stream.kind or Stream.SESSION)
        return self.senders.is_worth(stream, subject, stream.last_received_at)

    def counts_steps(self, stream: LogStream) -> bool:
        """Say whether what a stream's lines tell of steps counts: as the log of a session would."""
        is_log = self.senders.is_worth(stream, Subject.SESSION_LOG, stream.last_received_at)
        return is_log and self.counts(stream)

    def keeps_own(self, row: Event) -> bool:
        """Say whether an event of a stream of this session counts.

        What a kernel prints in it may be of any host: of those that are sure it speaks alone.
        """
        said = subjects_of_row(row)
        if not all(self.senders.is_worth(row.stream, each, row.received_at) for each in said):
            return False
        if not self._is_sure(row):
            return False
        is_repeated = Subject.HOST in said and row.stream.kind in {"", Stream.SESSION}
        if is_repeated and row.host and self.asserted:
            return host_names.resolve(name=row.host, aliases=self.aliases) in self.asserted
        return True

    def concerns(self, stream: LogStream) -> bool:
        """Say whether a stream of no session may speak of this attempt."""
        is_own = self.senders.is_own(stream)
        if not is_own and not (self.senders.ever_asserted(stream) and self._is_joined(stream)):
            return False
        if stream.kind in SHARED:
            return True
        names = self.names if is_own else self.asserted
        host = host_names.resolve(name=stream.host, aliases=self.aliases) if stream.host else ""
        if stream.kind in OF_HOSTS:
            return not host or host in names
        # Lines of an application without a session: only where nobody else can have printed them.
        return is_own and host in names and self._ran_alone(stream)

    def keeps(self, row: Event) -> bool:
        """Say whether an event of such a stream counts for this attempt."""
        return self._may_concern(row) and self._is_sure(row)

    def supposes(self, row: Event) -> bool:
        """Say whether an event is a vendor's of a part that nobody knows to serve this attempt."""
        return self._may_concern(row) and not self._is_sure(row)

    def is_of_vendor(self, stream: LogStream) -> bool:
        """Say whether who sends such a stream supplies parts, and does not run the cluster."""
        return self.senders.is_vendor(stream, stream.last_received_at)

    def knowing(self, told: Iterable[tuple[int, Fact]]) -> "About":
        """Return it with the parts that lines of its hosts name, of who asserts what hosts say."""
        found: set[str] = set()
        for organization_id, fact in told:
            named = {self._resolved(each) for each in parts_named(fields=fact.fields)} - {""}
            if not named <= found and self._runs_host(organization_id, fact):
                found |= named
        return replace(self, around=self.around.also_used(found))

    def is_sure_of(self, organization_id: int, fact: Anomaly, at: datetime | None) -> bool:
        """Say whether who measures a part runs the cluster, or the part is of this attempt."""
        part, own = fact.entity, organization_id == self.attempt.organization_id
        if part.host or own or self.senders.runs_cluster(organization_id, at):
            return True
        names = {(part.name or "").partition(":/")[0], *fact.hosts} - {""}
        return bool({self._resolved(each) for each in names} & (self.asserted | self.around.used))

    def _runs_host(self, organization_id: int, fact: Fact) -> bool:
        """Say whether a fact is one of these hosts, or of no host, by who runs them."""
        origin, host = fact.line.origin, self._resolved(fact.line.host or "")
        is_here = not host or host in self.asserted or origin.stream in PHYSICAL
        return is_here and self.senders.runs_hosts(organization_id, origin.received_at)

    def _may_concern(self, row: Event) -> bool:
        stream, is_own = row.stream, self.senders.is_own(row.stream)
        said = subjects_of_row(row)
        if not all(self.senders.is_worth(stream, each, row.received_at) for each in said):
            return False
        names = self.names if is_own else self.asserted
        if stream.kind in OF_HOSTS and row.host and names:
            return host_names.resolve(name=row.host, aliases=self.aliases) in names
        if stream.kind == Stream.SCHEDULER:
            return self._is_named(row, is_own=is_own)
        if stream.kind in PHYSICAL:
            return self._is_reached(row, is_own=is_own)
        return True

    def is_claim(self, organization_id: int, fact: Fact) -> bool:
        """Say whether a fact of these lines is only claimed by who sent it."""
        if self.attempt.session.cluster_id is None:
            return False
        origin, line = fact.line.origin, fact.line
        said = subjects_of(
            stream=origin.stream or "",
            line=line.stream,
            layer=fact.layer or "",
            signature=fact.signature,
        )
        return not all(
            self.senders.asserts(organization_id, each, origin.received_at) for each in said
        )

    def _is_joined(self, stream: LogStream) -> bool:
        """Say whether anything joins another's lines to this attempt."""
        if stream.kind == Stream.SCHEDULER and self.attempt.session.is_asserted:
            return True
        return bool(self.asserted)

    def _is_named(self, row: Event, *, is_own: bool) -> bool:
        """Say whether a scheduler's line speaks of this session, or of none that is known here.

        One that names no session counts where the nodes that it names are this session's.

        A name counts that who runs the cluster told: a tenant may call its own as it likes.
        """
        text, is_told = row.body["text"], is_own or self.attempt.session.is_asserted
        if is_told and any(says(text=text, name=name) for name in self.own):
            return True
        if not is_own and not self.asserted:
            return False
        if any(says(text=text, name=name) for name in self.foreign):
            return False
        named = self.lists.nodes_of(str(row.body["fields"].get("host", "")))
        nodes = {host_names.resolve(name=each, aliases=self.aliases) for each in named}
        return not nodes or bool(nodes & (self.names if is_own else self.asserted))

    def _is_reached(self, row: Event, *, is_own: bool) -> bool:
        """Say whether a line of storage or fabric is about what this attempt uses, or may be.

        It speaks for the node, server or switch that it names; for nobody else's.
        """
        found = self._named(row)
        is_here = bool(found & (self.names if is_own else self.asserted))
        return is_here or not found & self.around.unused

    def _is_sure(self, row: Event) -> bool:
        """Say whether a line of a vendor names what this attempt is known to use."""
        if not self.senders.is_vendor(row.stream, row.received_at):
            return True
        return bool(self._named(row) & (self.asserted | self.around.used))

    def _named(self, row: Event) -> set[str]:
        names = {row.host, *all_named(fields=row.body["fields"], lists=self.lists)}
        return {self._resolved(each) for each in names - {""}}

    def _resolved(self, name: str) -> str:
        return host_names.resolve(name=name, aliases=self.aliases) if name else ""

    def _ran_alone(self, stream: LogStream) -> bool:
        others = Attempt.objects.filter(
            Q(hosts_asserted=True) | Q(organization=self.attempt.organization_id),
            session__cluster=self.attempt.session.cluster_id,
            hosts__contains=[stream.host],
        ).exclude(pk=self.attempt.pk)
        if stream.last_at:
            others = others.filter(Q(started_at=None) | Q(started_at__lte=stream.last_at))
        if stream.first_at:
            others = others.filter(Q(ended_at=None) | Q(ended_at__gte=stream.first_at))
        return not others.exists()


def about(*, attempt: Attempt) -> About:
    """Return what tells which lines speak of an attempt. Needs the scope of the parties."""
    session = attempt.session
    aliases = host_names.aliases_for(attempt=attempt)
    # The number of an array is its last task's own, too, but in a text it means all of them.
    own = {session.name, *session.aliases} - {"", session.name.partition("_")[0]}
    own |= {session.name} - {""}
    others = Session.objects.filter(cluster=session.cluster_id, is_asserted=True)
    names = others.exclude(pk=session.pk).values_list("name", flat=True)

    def resolved(names: list[str]) -> frozenset[str]:
        return frozenset(host_names.resolve(name=name, aliases=aliases) for name in names)

    authority = authority_of(cluster_id=session.cluster_id)
    asserted = resolved(attempt.asserted_hosts)
    return About(
        attempt=attempt,
        senders=LineSenders(attempt=attempt, authority=authority),
        aliases=aliases,
        names=resolved(attempt.hosts),
        asserted=asserted,
        own=frozenset(own),
        foreign=frozenset({*names} - own - {""}) if session.cluster_id else frozenset(),
        around=surroundings(attempt=attempt, authority=authority, aliases=aliases, own=asserted)
        if asserted
        else Surroundings(),
    )
