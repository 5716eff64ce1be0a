"""How often the checks of an organization's metrics fail on nodes of sessions that succeeded.

Who takes a node out because a check failed has to know how often it fails where nothing is wrong.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from apps.diagnosis.model import EndState
from apps.fleet.facade.nodes import NodeScope, ended_runs
from apps.fleet.values import EndedRun
from apps.telemetry.facade.warnings import FailedCheck, failed_checks, measured_since
from apps.tenancy.access import Actor
from apps.training.offenders.check_table import CheckedSession, CheckTable, check_table

# Others were ended by somebody or a limit: that says nothing of their nodes.
STATES: Final = (EndState.FINISHED.value, EndState.FAILED.value)


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckCalibration:
    """Which checks failed in sessions that succeeded, and in those that failed."""

    measured_since: datetime | None  # None: the reader has no metrics of the cluster
    table: CheckTable


def check_calibration(
    *, actor: Actor, scope: NodeScope, since: datetime, until: datetime
) -> CheckCalibration:
    """Return it for attempts that ran while the reader's metrics were read. Needs its scope."""
    measured = measured_since(actor=actor, cluster=scope.cluster.slug)
    if measured is None:
        return CheckCalibration(measured_since=None, table=check_table(()))
    begin = max(since, measured)
    runs = ended_runs(actor=actor, scope=scope, since=begin, until=until, states=STATES)
    told = failed_checks(actor=actor, cluster=scope.cluster.slug, since=begin, until=until)
    by_host = _by_host(told)
    return CheckCalibration(
        measured_since=measured,
        table=check_table(_checked(each, by_host) for each in runs if each.hosts),
    )


def _by_host(told: Sequence[FailedCheck]) -> Mapping[str, Sequence[FailedCheck]]:
    found: dict[str, list[FailedCheck]] = defaultdict(list)
    for each in told:
        for host in each.hosts:
            found[host].append(each)
    return found


def _checked(run: EndedRun, by_host: Mapping[str, Sequence[FailedCheck]]) -> CheckedSession:
    failed = [each for host in run.hosts for each in by_host.get(host, ()) if _is_during(each, run)]
    return CheckedSession(
        session=str(run.attempt_id),
        is_successful=run.state == EndState.FINISHED,
        failed=frozenset(each.check for each in failed),
        failed_high=frozenset(each.check for each in failed if each.is_page),
    )


def _is_during(check: FailedCheck, run: EndedRun) -> bool:
    """Say whether it was raised, or still stood, while an attempt ran."""
    goes_on = check.ends_at is None or check.ends_at >= run.started_at
    return check.raised_at <= run.ended_at and goes_on
