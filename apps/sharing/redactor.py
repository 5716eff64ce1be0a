"""What hides in what a holder shows: pseudonyms, and what its reader knows anyway."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any, Final

from django.db.models import Q, QuerySet

from apps.diagnosis.model import Device, statement_json, statement_of
from apps.fleet.models import Attempt, Mount, Node, Session
from apps.sharing.grants import Grant
from apps.sharing.models import PseudonymKey
from apps.sharing.redaction.fields import redact_fact, redact_statement
from apps.sharing.redaction.kinds import Kind, Treatment
from apps.sharing.redaction.known_names import KnownNames
from apps.sharing.redaction.profiles.load import Profile, load_profiles
from apps.sharing.redaction.pseudonyms import NAME, Pseudonyms
from apps.sharing.redaction.text import redact_text
from apps.sharing.terms import Level
from apps.tenancy.credentials import unseal

# What who runs the cluster, or what runs on it, calls by name itself.
OF_THE_CLUSTER: Final = (Kind.HOST, Kind.ADDRESS, Kind.HARDWARE, Kind.GPU, Kind.PCI)
MOST_ATTEMPTS: Final = 50  # that the holder knows, the newest
MOST_SESSIONS: Final = 500  # that the holder knows whose names are looked for, the newest
NO_NAMES: Final = KnownNames()  # one for all: what looks for names is made once
# What gives access is nobody else's at any level.
SECRETS_ALONE: Final = Profile(
    name="full",
    treatments=MappingProxyType(
        {kind: Treatment.CUT if kind is Kind.SECRET else Treatment.KEEP for kind in Kind}
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReaderNames:
    """What a reader calls by name already; hiding it would only cost the connection."""

    parts: frozenset[str]  # its parts in the cluster
    hosts: frozenset[str]  # of its own sessions, and those that its header names
    knows_all_hosts: bool  # it runs the cluster, or what runs on it


class Redactor:
    """What is shown of a holder's things under one agreement. Needs the holder's scope."""

    def __init__(
        self, *, grant: Grant, cluster_id: int, reader: ReaderNames, hit: QuerySet[Any]
    ) -> None:
        """`hit` are ids of the sessions that it is about: their names are hidden, however old."""
        self._grant, self._cluster_id, self._reader = grant, cluster_id, reader
        self._hit = hit

    def statement(self, told: Mapping[str, Any], level: Level) -> dict[str, Any]:
        """Return a statement, as JSON holds it, as it is shown at a level."""
        hidden = redact_statement(statement_of(told), **self._how(level))
        return dict(self._opened(statement_json(hidden)))

    def fact(self, told: Mapping[str, Any] | None, level: Level) -> dict[str, Any] | None:
        """Return what a line or a measurement says in typed values."""
        return None if told is None else self._opened(redact_fact(told, **self._how(level)))

    def text(self, text: str, level: Level) -> str:
        """Return a line."""
        return str(self._opened(redact_text(text, **self._how(level)).text))

    def host(self, name: str, level: Level) -> str:
        """Return the name of a host, or what stands for it."""
        told = self.fact({"host": name}, level) or {}
        return str(told.get("host") or "")

    def signal(self, name: str, level: Level) -> str:
        """Return what a series is called: `nfs.latency[/mnt/solar]` names a mount."""
        told = self.fact({"signal": name}, level) or {}
        return str(told.get("signal") or "")

    def device(self, device: Device, level: Level) -> Device:
        """Return a part of a host, or what stands for it."""
        told = {"host": device.host, "uuid": device.uuid, "pci": device.pci}
        name = self.text(device.name, level) if device.name else device.name
        return replace(device, **(self.fact(told, level) or {}), name=name)

    def _how(self, level: Level) -> Any:
        if level is Level.FULL:
            return {
                "pseudonyms": self._pseudonyms, "known": NO_NAMES, "profile": SECRETS_ALONE,
            }  # fmt: skip
        return {"pseudonyms": self._pseudonyms, "known": self._known, "profile": self._profile}

    def _opened(self, value: Any) -> Any:
        """Put hosts that the reader knows back in the place of their pseudonyms."""
        match value:
            case str():
                return NAME.sub(lambda found: self._hosts.get(found[0], found[0]), value)
            case Mapping():
                return {name: self._opened(each) for name, each in value.items()}
            case list() | tuple():
                return [self._opened(each) for each in value]
            case _:
                return value

    @cached_property
    def _hosts(self) -> Mapping[str, str]:
        return {self._pseudonyms.name(Kind.HOST, each): each for each in self._reader.hosts}

    @cached_property
    def _pseudonyms(self) -> Pseudonyms:
        keys = PseudonymKey.objects.for_organization(self._grant.holder.id)
        key = keys.get(agreement=self._grant.agreement_id)
        return Pseudonyms(bytes.fromhex(unseal(sealed=key.secret)))

    @cached_property
    def _profile(self) -> Profile:
        reader = self._reader
        is_vendor = bool(reader.parts) and all(part.endswith("_vendor") for part in reader.parts)
        profile = load_profiles()["support" if is_vendor else "operations"]
        if not reader.knows_all_hosts:
            return profile
        kept = dict.fromkeys(OF_THE_CLUSTER, Treatment.KEEP)
        return replace(profile, treatments=MappingProxyType({**profile.treatments, **kept}))

    @cached_property
    def _known(self) -> KnownNames:
        """Return what the holder knows by name in the cluster and the reader need not."""
        nodes = Node.objects.filter(cluster=self._cluster_id).values_list("name", "aliases")
        hosts = dict(nodes)
        mounts = Mount.objects.filter(cluster=self._cluster_id).values_list("path", flat=True)
        # Also of others: a scheduler's log names the sessions of all tenants.
        sessions = Session.objects.filter(cluster=self._cluster_id)
        sessions = sessions.exclude(organization=self._grant.reader_id).order_by("-id")
        newest = Q(pk__in=sessions.values("pk")[:MOST_SESSIONS])
        about = sessions.filter(newest | Q(pk__in=self._hit))
        names = about.values_list("name", "job", "project")
        attempts = Attempt.objects.filter(session__cluster=self._cluster_id).order_by("-id")
        recent = Q(pk__in=attempts.values("pk")[:MOST_ATTEMPTS])
        ran_on = attempts.filter(recent | Q(session__in=self._hit))
        lists = ran_on.values_list("hosts", flat=True)
        return KnownNames(
            hosts=frozenset(hosts).union(*lists),
            aliases={alias: host for host, aliases in hosts.items() for alias in aliases},
            mounts=frozenset(mounts),
            sessions=frozenset(name for name, _, _ in names if name),
            jobs=frozenset(each for _, *told in names for each in told if each),
        )
