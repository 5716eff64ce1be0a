"""What jobs, platforms and operators tell of recovery inside a running job → blocks of its facts.

Who may tell of a session's state may tell of this: its tenant of its own, operator and platform of
any, vendors of none. The rows are the tenant's, whoever told them.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final

from django.db.models import Max

from apps.fleet.authority.rules import PartRefused, Subject
from apps.fleet.models import Attempt, Cluster
from apps.fleet.parties.cross_party_audit import Crossing, enter, refuse
from apps.fleet.sessions import session_rows
from apps.fleet.sessions.session_limits import TooManySessions
from apps.fleet.sessions.session_lookup import find_for_log
from apps.fleet.sessions.session_reports import SessionReport
from apps.fleet.sessions.session_rows import OwnerUnknown, Recorded
from apps.telemetry import subscribers
from apps.telemetry.formats.lines.complaints import Complaints
from apps.telemetry.formats.recovery_json import ToldFact
from apps.telemetry.limits.storage_limits import require_disk, require_quota
from apps.telemetry.models import TouchedWindow
from apps.telemetry.recovery.block_rows import keep_facts
from apps.telemetry.scheduler.reports import PART_REFUSED, TOO_MANY_SESSIONS, crossings_of
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope

JOB_BEGAN: Final = "job_began"
TOO_MANY: Final = "too_many_events"
# Of one body, whose sender waits: attempts take 50 ms each, and blocks of their steps 10.
MOST_ATTEMPTS: Final = 32
MOST_BLOCKS: Final = 128
IN_PARTS: Final = (
    "the body tells of more attempts or steps than are taken at once; send it in parts"
)
Named = tuple[str, int | None]  # a session and its attempt
Facts = Sequence[ToldFact]


def record_recovery(
    *,
    reporter: Organization,
    facts: Mapping[Cluster, Facts],
    complaints: Complaints,
    now: datetime,
) -> int:
    """Keep facts with the attempts that they are of; return how many events were taken.

    One transaction: durable when it returns. Idempotent, whatever the order. Raises OverQuota, and
    PartRefused where the reporter's part may tell of none of them.
    """
    intake = _Intake(reporter=reporter, complaints=complaints, now=now)
    with organization_scope(reporter.pk):
        require_disk()
        require_quota(organization_id=reporter.pk)
        for cluster, told in facts.items():
            intake.take(cluster, told)
        enter(crossings=intake.crossings, now=now)
    if intake.refused is not None and not intake.accepted_count:
        raise intake.refused
    return intake.accepted_count


@dataclass(slots=True, kw_only=True)
class _Intake:
    """What one push comes to."""

    reporter: Organization
    complaints: Complaints
    now: datetime
    accepted_count: int = 0
    attempt_count: int = 0
    block_count: int = 0
    refused: PartRefused | None = None
    crossings: list[Crossing] = field(default_factory=list)

    def take(self, cluster: Cluster, told: Facts) -> None:
        """Keep the facts of a cluster's attempts."""
        touched: list[Attempt] = []
        refused: list[str] = []
        for named, all_told in _by_attempt(told).items():
            some = self._taken(all_told)
            if not some:
                continue
            attempt = self._attempt(cluster, named, some)
            if attempt is None:
                refused.append(named[0])
                continue
            left_out = keep_facts(
                sender=self.reporter,
                cluster=cluster,
                attempt=attempt,
                facts=[each.fact for each in some],
                now=self.now,
            )
            self._count([each for each in some if each.fact.key in left_out], some)
            touched.append(attempt)
        if self.refused is not None and refused:
            self.crossings.append(
                refuse(
                    by=self.reporter,
                    cluster=cluster,
                    what=Subject.SESSION,
                    names=refused,
                    now=self.now,
                )
            )
        self._touch(cluster, touched)

    def _taken(self, told: Facts) -> list[ToldFact]:
        """Return as many facts of one attempt as there is room for; complain of the others."""
        self.attempt_count += 1
        room = MOST_BLOCKS - self.block_count if self.attempt_count <= MOST_ATTEMPTS else 0
        blocks = {(each.fact.part, each.fact.block): None for each in told}
        taken = set([*blocks][: max(0, room)])
        self.block_count += len(taken)
        left_out = [each for each in told if (each.fact.part, each.fact.block) not in taken]
        self._complain(left_out, TOO_MANY, IN_PARTS)
        return [each for each in told if (each.fact.part, each.fact.block) in taken]

    def _attempt(self, cluster: Cluster, named: Named, told: Facts) -> Attempt | None:
        """Return the attempt that is meant; complain and return None where it is nobody's."""
        try:
            began = _began_at(told)
            found = recorded(self.reporter, cluster, named, began=began, now=self.now)
        except PartRefused as error:
            self.refused = error
            self._complain(told, PART_REFUSED, str(error))
        except OwnerUnknown as error:
            self._complain(told, "owner_unknown", str(error))
        except TooManySessions as error:
            self._complain(told, TOO_MANY_SESSIONS, str(error))
        else:
            self.crossings += crossings_of(reporter=self.reporter, cluster=cluster, told=found)
            return found.attempt
        return None

    def _count(self, left_out: Facts, told: Facts) -> None:
        detail = "more is told of this attempt than is kept of one; what was kept stays"
        self._complain(left_out, TOO_MANY, detail)
        places = {each.place for each in told} - {each.place for each in left_out}
        self.accepted_count += len(places)

    def _complain(self, told: Facts, code: str, detail: str) -> None:
        for each in told:
            self.complaints.add(line=each.place, code=code, detail=detail)

    def _touch(self, cluster: Cluster, touched: Sequence[Attempt]) -> None:
        """Have the attempts looked at: a loss that was lived through is no stop."""
        TouchedWindow.objects.bulk_create(
            TouchedWindow(
                organization=self.reporter,
                cluster=cluster,
                session_id=attempt.session_id,
                attempt=attempt,
                created_at=self.now,
            )
            for attempt in touched
        )
        if touched:
            subscribers.on_commit(organization_id=self.reporter.pk, cluster_id=cluster.pk)


def _began_at(told: Facts) -> datetime | None:
    """Return when a job says that it began; None where it does not."""
    times = [each.fact.at_seconds for each in told if each.fact.kind == JOB_BEGAN]
    return datetime.fromtimestamp(min(times), UTC) if times else None


def _by_attempt(told: Facts) -> Mapping[Named, list[ToldFact]]:
    found: dict[Named, list[ToldFact]] = defaultdict(list)
    for each in told:
        found[each.session, each.attempt].append(each)
    return found


def recorded(
    reporter: Organization,
    cluster: Cluster,
    named: Named,
    *,
    now: datetime,
    began: datetime | None = None,
) -> Recorded:
    """Return the attempt that is meant, made where its tenant is known. Opens the scopes.

    Raises PartRefused, OwnerUnknown, TooManySessions.
    """
    session, number = named
    known = find_for_log(organization_id=reporter.pk, cluster=cluster, name=session)
    if number is None:
        number = known.attempts.aggregate(last=Max("number"))["last"] if known else None
    report = SessionReport(
        session=known.name if known else session,
        attempt=1 if number is None else number,
        scheduler=known.scheduler if known else "",
        project=known.project if known else "",
        at=began,
        is_begin=began is not None,
    )
    return session_rows.record_report(cluster=cluster, reporter=reporter, report=report, now=now)
