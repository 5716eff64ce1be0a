"""All figures of a period, out of what is known of it."""

from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal

from apps.reliability.period.division import missing, share_figure, time_division
from apps.reliability.period.facts import PeriodFacts
from apps.reliability.period.failures import exposure_in, failures_in, mttf_figure, time_to_failure
from apps.reliability.period.incident_losses import KnownLoss, known_losses
from apps.reliability.period.losses import loss_total, losses_of, worst_nodes
from apps.reliability.period.retries import retry_counts
from apps.reliability.period.saves import save_interval, utilization_of
from apps.reliability.period.scopes import (
    Absence,
    Audience,
    CountedKind,
    Figure,
    WithheldFigure,
    absent,
    counted,
)
from apps.reliability.period.session_progress import session_progress
from apps.reliability.period.values import Cost, Headline, Losses, Period
from apps.reliability.prices import Price
from apps.training.economics.timelines import TimeUse

OF_SESSIONS = ("time-to-failure", "lost-gpu-hours", "retries")
OF_STEPS = ("goodput", "ettr")
OF_SAVES = ("mfu", "checkpoint-interval", "lost-progress", "slow-time")
OF_LOSSES = frozenset({"lost-progress", "slow-time"})


def compose(facts: PeriodFacts, *, price: Price | None) -> Period:
    """Return a period in figures."""
    scope = facts.scope
    known = known_losses(facts)
    within = [each for each in known if scope.starts_at <= each.incident.moment < scope.ends_at]
    earlier = [each for each in known if each.incident.moment < scope.starts_at]
    failures = time_to_failure(facts)
    has_run = bool(facts.attempts_in(scope.starts_at, scope.ends_at))
    losses = losses_of(facts, within, has_run=has_run)
    saves = save_interval(facts, failures)
    division = time_division(facts, expected_ettr=saves.ettr_at_measured)
    before = share_figure(facts.uses_before, (TimeUse.PRODUCTIVE,), absence=missing(facts))
    return Period(
        scope=scope,
        now=_headline(facts, within, division.goodput, scope.starts_at, scope.ends_at),
        before=_headline(facts, earlier, before, facts.before, scope.starts_at),
        time_to_failure=failures,
        division=division,
        utilization=utilization_of(facts),
        losses=losses,
        saves=saves,
        retries=retry_counts(facts),
        worst_nodes=worst_nodes(facts, within) if scope.audience is not Audience.JOINT else (),
        cost=_cost(losses, price),
        withheld=tuple(_withheld(facts)),
        left_out_count=facts.left_out_count,
        progress=session_progress(facts),
        owners=tuple(facts.owners),
    )


def _headline(
    facts: PeriodFacts,
    known: Sequence[KnownLoss],
    goodput: Figure,
    starts_at: datetime,
    ends_at: datetime,
) -> Headline:
    attempts = facts.attempts_in(starts_at, ends_at)
    failures = failures_in(facts, starts_at, ends_at)
    run_hours = exposure_in(facts, starts_at, ends_at).run_hours
    return Headline(
        sessions=counted(CountedKind.SESSIONS, [each.times.session for each in attempts])
        if facts.reads_sessions
        else None,
        attempts=len(attempts) if facts.reads_sessions else None,
        incidents=counted(CountedKind.INCIDENTS, [each.incident.public_id for each in known]),
        mttf_hours=(
            mttf_figure(failures, run_hours)
            if facts.reads_sessions
            else absent(facts.sessions_absence)
        ),
        goodput=goodput,
        lost_gpu_hours=loss_total(facts, known, has_run=bool(attempts)).gpu_hours,
    )


def _cost(losses: Losses, price: Price | None) -> Cost | None:
    if price is None:
        return None
    hours = losses.total.gpu_hours.value
    lost = None if hours is None else (Decimal(hours) * price.per_gpu_hour).quantize(Decimal(1))
    return Cost(per_gpu_hour=price.per_gpu_hour, currency=price.currency, lost=lost)


def _withheld(facts: PeriodFacts) -> list[WithheldFigure]:
    """Return what is not shown though somebody knows it."""
    joint = facts.scope.audience is Audience.JOINT
    found = []
    if not facts.reads_sessions:
        why = facts.sessions_absence
        found += [WithheldFigure(figure=each, absence=why) for each in OF_SESSIONS]
    for is_hidden, figures in ((facts.hides_steps, OF_STEPS), (facts.hides_saves, OF_SAVES)):
        if not facts.reads_measures or is_hidden:
            found += [WithheldFigure(figure=each, absence=_why(facts, each)) for each in figures]
    if joint:
        found.append(WithheldFigure(figure="worst-nodes", absence=Absence.HIDDEN))
    return found


def _why(facts: PeriodFacts, figure: str) -> Absence:
    """Return why a figure of steps is hidden: as the figure itself says it."""
    is_of_sessions = figure in OF_LOSSES and not facts.reads_sessions
    return facts.sessions_absence if is_of_sessions else Absence.HIDDEN
