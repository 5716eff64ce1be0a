"""Reports of slow ranks: which ratio, how often, and among how many others, names one."""

import pytest

from apps.diagnosis.model import Event, Observation, Role
from apps.diagnosis.reasoning.findings.pace_findings import derive
from tests.diagnosis.events import event

REPORT, SCORE = "megatron-straggler", "nvrx-straggler-score"


def _named(*told: Event) -> list[tuple[str | None, tuple[int, ...]]]:
    found: list[Observation] = list(
        derive(events=told, host_of=lambda one: one.line.host, seat_of=lambda rank: f"n{rank}")
    )
    return [(one.host, one.ranks) for one in found if one.sign == "finding:straggler-named"]


def _report(rank: str, slowest: str, number: int) -> Event:
    fields = {"rank": rank, "max_rtt": slowest, "min_rtt": "10"}
    return event(REPORT, number=number, fields=fields)


def _reports(slow: int, quick: int) -> list[Event]:
    told = [*["13.0"] * slow, *["12.9"] * quick]
    return [_report("7", ratio, number) for number, ratio in enumerate(told)]


@pytest.mark.parametrize(
    ("slow", "quick", "is_named"),
    [(2, 0, True), (1, 0, False), (9, 1, True), (8, 1, False), (1, 99, False), (0, 5, False)],
)
def test_a_rank_is_slow_that_nine_of_ten_reports_name_twice_at_least(
    slow: int, quick: int, *, is_named: bool
) -> None:
    assert _named(*_reports(slow, quick)) == ([("n7", (7,))] if is_named else [])


def test_a_report_without_a_rank_or_numbers_names_nobody() -> None:
    told = [_report("x", "13.0", 1), _report("7", "much", 2), _report("7", "13.0", 3)]
    assert _named(*told) == []


def _scores(*values: str, ranks: int | None = None) -> list[Event]:
    return [
        event(
            SCORE,
            number=number,
            fields={"rank": str(number % (ranks or 99)), "score": score, "host": f"n{number}.x"},
        )
        for number, score in enumerate(values)
    ]


@pytest.mark.parametrize(
    ("values", "rank"),
    [
        (("0.75", "0.9", "0.9", "0.9"), 0),
        (("0.9", "0.9", "0.9", "0.5"), 3),
        (("0.76", "0.9", "0.9", "0.9"), None),
        (("0.75", "0.89", "0.89", "0.89"), None),
        (("0.75", "0.9", "0.9"), None),
        (("0.75", "0.9", "0.9", "none"), None),
    ],
)
def test_one_low_score_among_three_high_ones_names_a_rank(
    values: tuple[str, ...], rank: int | None
) -> None:
    expected = [] if rank is None else [(f"n{rank}", (rank,))]
    assert _named(*_scores(*values)) == expected


def test_of_each_rank_the_latest_score_counts() -> None:
    told = _scores("0.5", "0.9", "0.9", "0.9", "0.9", "0.9", "0.9", "0.9", ranks=4)
    assert _named(*told) == []


def _paced(*values: float) -> Event:
    pace = "0:" + " ".join(f"{one:g}" for one in values)
    return event("nemo-step", number=1, role=Role.PROGRESS, fields={"pace": pace})


def _risen(*told: Event) -> list[str]:
    found = derive(events=told, host_of=lambda one: one.line.host)
    signs = {"finding:step-time-rose", "finding:slow-until-failed"}
    return [one.fields["rise"] for one in found if one.sign in signs]


FLAT, TRIPLED = [5.0, 5.1] * 10, [15.0, 15.2] * 10
GAVE_UP = event("pg-watchdog-timeout", role=Role.CASCADE, number=9)
ABORTED = event("slurm-task-exit", role=Role.CONFIRMATION, number=10, fields={"signal": "Aborted"})


def test_steps_that_took_far_longer_until_the_ranks_gave_up_are_told() -> None:
    assert _risen(_paced(*FLAT, *TRIPLED), GAVE_UP, ABORTED) == ["large"]
    assert _risen(_paced(*FLAT, *TRIPLED)) == ["large"]


def test_steps_say_nothing_of_a_failure_that_has_words_or_that_they_foretold_by_little() -> None:
    raised = event("py-exception-final", role=Role.INITIATING, number=8)
    assert _risen(_paced(*FLAT, *TRIPLED), raised, GAVE_UP) == []
    longer = [one * 1.6 for one in FLAT]
    assert _risen(_paced(*FLAT, *longer)) == ["large"]
    assert _risen(_paced(*FLAT, *longer), GAVE_UP) == []
