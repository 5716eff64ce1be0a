"""Reports of several parties about one attempt, merged field by field: whose word holds, and what
else was said.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from apps.diagnosis.model import EndState
from apps.fleet.authority.rules import RANK, SenderStanding
from apps.fleet.hosts.host_names import short
from apps.fleet.models import Attempt
from apps.fleet.sessions.session_reports import SessionReport
from apps.training.lifecycle.state_table import meaning_of

PLACES: Final = frozenset({"hosts", "ranks"})
TIMES: Final = frozenset({"started_at", "ended_at"})
ENDS: Final = frozenset(EndState) - {EndState.RUNNING, EndState.UNKNOWN}
# Two who tell of one end are not to the second of one mind.
APART: Final = timedelta(minutes=10)
KEPT_AT_MOST: Final = 12
NAMED_AT_MOST: Final = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Reporter:
    """Who tells of an attempt, and what its word is worth there."""

    slug: str
    standing: SenderStanding
    of_hosts: SenderStanding
    now: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldReport:
    """What somebody said of one field."""

    field: str
    value: Any
    slug: str
    at: datetime
    standing: SenderStanding

    @property
    def source(self) -> list[str]:
        """As `Attempt.field_sources` keeps it."""
        return [self.slug, self.at.isoformat(), str(self.standing)]


def merge(*, attempt: Attempt, report: SessionReport, reporter: Reporter) -> set[str]:
    """Let the better word win, field by field; return whom the report contradicts.

    What runs the cluster beats what is claimed, whenever either was said; among equals the newer
    one holds, and an end is never undone by an earlier state.
    """
    contradicted: set[str] = set()
    for name, value in _news(attempt=attempt, report=report).items():
        at = report.at or reporter.now
        # When it ran is what joins others' facts of its hosts, too.
        is_placed = name in PLACES or name in TIMES
        standing = reporter.of_hosts if is_placed else reporter.standing
        word = FieldReport(field=name, value=value, slug=reporter.slug, at=at, standing=standing)
        known = known_word(attempt=attempt, field=name)
        loser = word if known and _loses(word, known) else known
        if known and loser and _differ(word, known):
            contradicted.add(known.slug)
            _keep(attempt, loser, winner=known if loser is word else word)
        if loser is not word:
            _take(attempt, word, known)
    attempt.weight = weight_of(attempt=attempt)
    attempt.save()
    return contradicted - {reporter.slug}


def first_shown(*, attempt: Attempt) -> tuple[object, ...]:
    """Return what lists and pages show of an attempt first: another one is news to them."""
    return attempt.state, attempt.started_at, attempt.ended_at, attempt.world_size


def is_over(*, report: SessionReport) -> bool:
    """Say whether the attempt is over by a word of its scheduler that does not say how it ended."""
    if not report.scheduler_state:
        return False
    return meaning_of(scheduler=report.scheduler, word=report.scheduler_state).is_over


def weight_of(*, attempt: Attempt) -> int:
    """Return about how many bytes it takes to say all that was told of an attempt."""
    maps = (attempt.ranks, attempt.exit_codes, attempt.field_sources, attempt.contradictions)
    return sum(len(each) + 4 for each in attempt.hosts) + sum(
        len(json.dumps(each)) for each in maps
    )


def known_word(*, attempt: Attempt, field: str) -> FieldReport | None:
    """Return what holds of a field and who said it; None where nobody reported it."""
    said = attempt.field_sources.get(field)
    if said is None:
        return None
    # Without a standing: of a time before anybody judged it.
    standing = SenderStanding(said[2]) if len(said) > 2 else SenderStanding.ASSERTED
    return FieldReport(
        field=field,
        value=getattr(attempt, field),
        slug=said[0],
        at=datetime.fromisoformat(said[1]),
        standing=standing,
    )


def _take(attempt: Attempt, word: FieldReport, known: FieldReport | None) -> None:
    value = word.value
    is_better = known is not None and RANK[word.standing] > RANK[known.standing]
    if word.field in {"ranks", "exit_codes"} and not is_better:
        value = getattr(attempt, word.field) | value
    if word.field in TIMES and known is None:
        value = min(value, getattr(attempt, word.field) or value)
    setattr(attempt, word.field, value)
    attempt.field_sources[word.field] = word.source
    if word.field == "hosts":
        attempt.hosts_asserted = word.standing is SenderStanding.ASSERTED


def _loses(word: FieldReport, known: FieldReport) -> bool:
    if word.standing is not known.standing:
        return RANK[word.standing] < RANK[known.standing]
    if word.field in {"ranks", "exit_codes"}:
        return False
    if word.field in TIMES:
        return bool(word.value >= known.value)
    if word.field == "state" and (word.value in ENDS) != (known.value in ENDS):
        return bool(known.value in ENDS)  # an end follows a run, whatever their clocks say
    return known.at > word.at


def _differ(word: FieldReport, known: FieldReport) -> bool:
    """Say whether two organizations' words can't both be right."""
    if word.slug == known.slug:
        return False
    if word.field == "hosts":
        return _hosts(word.value) != _hosts(known.value)
    if word.field in {"ranks", "exit_codes"}:
        return any(known.value.get(key, said) != said for key, said in word.value.items())
    if word.field in TIMES:
        return bool(abs(word.value - known.value) > APART)
    is_told = word.field != "state" or {word.value, known.value} <= ENDS
    return is_told and bool(word.value != known.value)


def _hosts(names: list[str]) -> set[str]:
    return {short(name=name) for name in names}


def _keep(attempt: Attempt, loser: FieldReport, *, winner: FieldReport) -> None:
    """Keep what lost, the latest of each reporter and field, and not what came round since."""
    others = [
        each
        for each in attempt.contradictions
        if each["field"] != loser.field or each["organization"] not in {loser.slug, winner.slug}
    ]
    said = {
        "field": loser.field,
        "organization": loser.slug,
        "at": loser.at.isoformat(),
        "standing": str(loser.standing),
        "value": _plain(loser.value),
    }
    attempt.contradictions = [*others, said][-KEPT_AT_MOST:]


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, Mapping):
        return dict(sorted(value.items())[:NAMED_AT_MOST])
    return value[:NAMED_AT_MOST] if isinstance(value, list) else value


def _news(*, attempt: Attempt, report: SessionReport) -> dict[str, Any]:
    news: dict[str, Any] = dict(_times(report=report))
    if report.hosts:
        news["hosts"] = list(report.hosts)
    if report.ranks:
        news["ranks"] = {str(k): dict(v) for k, v in report.ranks.items()}
    if report.exit_codes:
        news["exit_codes"] = dict(report.exit_codes)
    if report.world_size:
        news["world_size"] = report.world_size
    if report.state:
        news["state"] = str(report.state)
    return news


def _times(*, report: SessionReport) -> Iterator[tuple[str, datetime]]:
    """The earliest report of a run is its start, the earliest report of an end its end."""
    if report.at is None:
        return
    if report.state is EndState.RUNNING or report.is_begin:
        yield "started_at", report.at
    if report.state in ENDS or is_over(report=report):
        yield "ended_at", report.at
