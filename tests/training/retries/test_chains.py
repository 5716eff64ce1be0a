"""Chains: where one begins and ends, what was kept, what was burnt."""

import random
from typing import Any

import pytest

from apps.diagnosis.intervals import HitShare
from apps.diagnosis.model import EndState
from apps.training.retries.chains import ChainOutcome, retry_chains
from apps.training.retries.retry_rates import fisher, retry_rates
from tests.training.retries.runs import NOW, attempt, crashing


def test_a_chain_that_nobody_goes_on_with_gave_up() -> None:
    (chain,) = retry_chains(crashing(3), now=NOW)

    assert chain.outcome is ChainOutcome.GAVE_UP
    assert chain.is_automatic
    assert [retry.gap_seconds for retry in chain.retries] == [600.0] * 3
    assert chain.burnt_gpu_hours == chain.gpu_hours == pytest.approx(3 * 64 / 6)


def test_a_newer_checkpoint_ends_the_chain_and_the_next_stop_begins_another() -> None:
    runs = [*crashing(2), attempt("a3", 50, 400, last_step=1500, checkpoint_step=1400)]
    runs += [attempt("a4", 410, 420, last_step=1450)]
    first, second = retry_chains(runs, now=NOW)

    assert first.outcome is ChainOutcome.RECOVERED
    assert [retry.kept_progress for retry in first.retries] == [False, False, True]
    assert first.burnt_gpu_hours == pytest.approx(2 * 64 / 6)
    assert (second.stopped.name, second.outcome) == ("a3", ChainOutcome.GAVE_UP)


def test_the_same_checkpoint_once_more_is_no_progress() -> None:
    runs = crashing(1, checkpoint_step=1000)

    assert [each.kept_progress for each in retry_chains(runs, now=NOW)[0].retries] == [False]


def test_without_steps_and_saves_progress_is_unknown() -> None:
    (chain,) = retry_chains(crashing(1, last_step=None), now=NOW)

    assert chain.retries[0].kept_progress is None
    assert chain.outcome is ChainOutcome.GAVE_UP


@pytest.mark.parametrize(
    ("given", "outcome"),
    [
        ({"last_step": 1001, "stepping_seconds": 3600.0}, ChainOutcome.RECOVERED),
        ({"last_step": 1001, "stepping_seconds": 3599.0}, ChainOutcome.GAVE_UP),
        ({"last_step": 1000, "stepping_seconds": 9999.0}, ChainOutcome.GAVE_UP),
        ({"end": EndState.FINISHED}, ChainOutcome.RECOVERED),
    ],
)
def test_an_hour_of_steps_beyond_the_stop_or_an_end_is_a_recovery(
    given: dict[str, Any], outcome: ChainOutcome
) -> None:
    assert retry_chains(crashing(1, **given), now=NOW)[0].outcome is outcome


def test_what_runs_still_goes_on_and_is_in_no_share() -> None:
    runs = [*crashing(0), attempt("a1", 5, None, end=EndState.RUNNING)]
    (chain,) = retry_chains(runs, now=NOW)

    assert chain.outcome is ChainOutcome.GOES_ON
    assert retry_rates([chain]).automatic.recovered == HitShare(hits=0, n=0)


def test_a_start_by_hand_after_automatic_ones_is_a_chain_of_its_own() -> None:
    runs = [*crashing(2), attempt("a3", 300, 310, last_step=900)]
    automatic, manual = retry_chains(runs, now=NOW)

    assert (automatic.is_automatic, len(automatic.retries)) == (True, 2)
    assert (manual.is_automatic, manual.stopped.name) == (False, "a2")


def test_order_and_doubles_change_no_chain_and_no_rate() -> None:
    runs = [*crashing(5), *(attempt(f"b{at}", 70 * at, 70 * at + 9, job="b") for at in range(8))]
    shuffled = random.Random(5).sample(runs * 3, 3 * len(runs))  # noqa: S311  an order

    assert retry_chains(shuffled, now=NOW) == retry_chains(runs, now=NOW)
    assert retry_rates(retry_chains(shuffled, now=NOW)) == retry_rates(retry_chains(runs, now=NOW))


@pytest.mark.parametrize(
    ("first", "second", "p"),
    [((4, 12), (1, 8), 0.603), ((8, 10), (1, 10), 0.0055), ((0, 5), (0, 5), 1.0)],
)
def test_fisher_against_published_tables(
    first: tuple[int, int], second: tuple[int, int], p: float
) -> None:
    shares = [HitShare(hits=hits, n=n) for hits, n in (first, second)]

    assert fisher(*shares) == pytest.approx(p, abs=0.0005)


def test_few_chains_are_called_not_significant() -> None:
    rates = retry_rates(retry_chains(crashing(3), now=NOW))

    assert rates.words == "not significant"
    assert rates.ratio is None
    assert rates.manual.gap_seconds is None
