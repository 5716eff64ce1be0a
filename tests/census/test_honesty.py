"""Nothing tells of a failure before its time but what the list of precursors names."""

from itertools import pairwise

import numpy as np
import pytest

from tests import census
from tests.census import precursors, traces
from tests.census.cases import DEGRADATIONS, REMAP, Case, breaks, draw_cases, host_name
from tests.census.effects import Happenings

SEEDS = (1, 2, 3, 4, 101, 105)


def _cases() -> list[tuple[int, Case]]:
    return [(seed, case) for seed in SEEDS for case in draw_cases(seed=seed) if case.kind != REMAP]


def _times(into: Happenings) -> list[tuple[float, str]]:
    """Return when each written thing begins, and the name it is about."""
    found = [(e.starts_at, name) for e in into.effects for name in e.names]
    found += [(at, name) for name, _, _, at, _ in into.counts]
    found += [(x.at, "xid") for x in into.xids]
    found += [(g.starts_at, g.what) for g in into.gaps]
    return found + [(r.at, r.what) for r in into.resets]


@pytest.mark.parametrize("seed", SEEDS)
def test_a_failure_writes_nothing_before_it_strikes(seed: int) -> None:
    for case in draw_cases(seed=seed)[:-1]:
        into = Happenings()
        traces.strike(case=case, into=into, rng=np.random.default_rng([seed, case.number]))
        early = [what for at, what in _times(into) if at < case.at]
        assert early == [], (case.kind, early)


@pytest.mark.parametrize("seed", SEEDS)
def test_what_goes_before_a_failure_is_what_its_label_names(seed: int) -> None:
    for case in draw_cases(seed=seed)[:-1]:
        into = Happenings()
        rng = np.random.default_rng([seed, 61, case.number])
        told = precursors.precede(case=case, rng=rng, into=into)
        assert (told is None) == (case.precursor is None)
        if told is None:
            assert _times(into) == []
            continue
        assert {name for _, name in _times(into)} <= set(told.names)
        assert all(told.starts_at <= at < case.at for at, _ in _times(into))


@pytest.mark.parametrize("seed", SEEDS)
def test_failures_hit_13_nodes_and_the_remapping_gpu_another(seed: int) -> None:
    *cases, remap = draw_cases(seed=seed)
    assert len({case.host for case in cases}) == 13
    assert remap.host not in {case.host for case in cases}
    assert sorted({145, 149} - {case.xid for case in cases}) == []


def test_seeds_differ_in_who_when_and_how_strong() -> None:
    told = [
        tuple((case.host, round(case.at), case.kind, case.precursor) for case in draw_cases(seed=s))
        for s in SEEDS
    ]
    assert len(set(told)) == len(SEEDS)


def test_degradations_end_in_a_drained_node_and_failures_in_a_dead_session() -> None:
    for _, case in _cases():
        (found,) = [b for b in breaks((case,)) if b.host == case.host]
        assert found.is_sudden != (case.kind in DEGRADATIONS)


def test_bands_are_what_a_scheduler_knows() -> None:
    laid_out = census.plan(1)
    assert {band.kind for band in laid_out.bands} == {"start", "stop", "maintenance"}
    starts = {session.starts_at for session in laid_out.sessions}
    ends = {session.ends_at for session in laid_out.sessions}
    assert {b.starts_at for b in laid_out.bands if b.kind == "start"} == starts
    assert {b.starts_at for b in laid_out.bands if b.kind == "stop"} == ends
    sudden = [label for label in laid_out.labels if label.kind not in DEGRADATIONS]
    for label in sudden:
        mine = [b for b in laid_out.bands if b.kind == "maintenance" and b.hosts == (label.node,)]
        assert not any(b.starts_at <= label.at < b.ends_at for b in mine)


def test_no_node_works_for_two_sessions_at_once() -> None:
    laid_out = census.plan(2)
    for host in range(63):
        mine = sorted((s.starts_at, s.ends_at) for s in laid_out.sessions if host in s.hosts)
        assert all(one[1] <= other[0] for one, other in pairwise(mine))


def test_labels_name_nodes_and_gpus_that_exist() -> None:
    laid_out = census.plan(3)
    assert {label.node for label in laid_out.labels} <= set(map(host_name, range(63)))
    assert all(label.gpu in {None, *range(8)} for label in laid_out.labels)
    assert laid_out.simulated
