"""Values are pure functions of seed, series and time."""

import numpy as np
import pytest

from apps.diagnosis.detection.metrics.selectors import Matcher
from apps.simulator.catalog import FAMILIES
from apps.simulator.metric_family import Family
from apps.simulator.metrics_server.store import SeriesStore
from apps.simulator.world.noise import Dice, uniform
from apps.simulator.world.story import Effect
from apps.simulator.world.world import make_world
from tests.apps.simulator.worlds import EPOCH, LIVE_AT, store, world
from tests.shared_files import SHARED, needs_shared

AT = np.arange(EPOCH - 7200.0, EPOCH, 30.0)


def _named(name: str) -> tuple[Matcher]:
    return (Matcher(label="__name__", operator="=", value=name),)


@pytest.mark.parametrize(
    "name",
    ["DCGM_FI_DEV_POWER_USAGE", "node_infiniband_port_data_received_bytes_total", "node_load1"],
)
def test_any_moment_can_be_asked_alone_and_again(name: str) -> None:
    other = SeriesStore(world=make_world(seed=7, epoch=EPOCH, live_at=LIVE_AT), party="aurora")
    whole = store().values(store().select(_named(name))[0], AT)
    alone = other.values(other.select(_named(name))[0], AT[100:101])
    np.testing.assert_array_equal(whole[:, 100:101], alone)


def test_one_row_alone_is_the_row_of_the_whole() -> None:
    name = "DCGM_FI_DEV_GPU_TEMP"
    host = Matcher(label="Hostname", operator="=", value="gpu030")
    one = store().select((*_named(name), host))[0]
    everything = store().select(_named(name))[0]
    np.testing.assert_array_equal(
        store().values(one, AT), store().values(everything, AT)[29 * 8 : 30 * 8]
    )


@pytest.mark.parametrize(
    "family", [f for f in FAMILIES if f.kind == "counter"], ids=lambda f: f.name
)
def test_counters_never_fall(family: Family) -> None:
    party = store(family.party)
    values = party.values(
        party.select(_named(family.name))[0], np.arange(EPOCH - 21600, EPOCH, 300.0)
    )
    steps = np.diff(values, axis=1)
    assert not (steps < 0).any()


def test_a_hot_gpu_is_hotter_and_slower_than_its_peers() -> None:
    truth = world().outcomes["thermal-straggler"].truth
    culprit = truth.culprits[0]
    at = np.array([truth.failed_at + 600.0])
    hosts = "|".join(truth.attempts[0].hosts)
    peers = Matcher(label="Hostname", operator="=~", value=hosts)
    for name, sign in (("DCGM_FI_DEV_GPU_TEMP", 1.0), ("DCGM_FI_DEV_SM_CLOCK", -1.0)):
        chosen = store().select((*_named(name), peers))[0]
        values = sign * store().values(chosen, at)[:, 0]
        worst = chosen.labels()[int(values.argmax())]
        assert (worst["Hostname"], worst["gpu"]) == (culprit.host, str(culprit.gpu))


@needs_shared
def test_all_names_are_names_of_real_exporters() -> None:
    table = (SHARED / "reference" / "metrics.csv").read_text(encoding="utf-8")
    known = {line.split(",")[1] for line in table.splitlines() if line.count(",") > 2}
    assert [family.name for family in FAMILIES if family.name not in known] == []


def test_samples_that_are_gone_stay_away_whatever_else_befalls_their_series() -> None:
    name = "DCGM_FI_DEV_GPU_TEMP"
    gone = Effect(metric=name, host="gpu030", how="gone", starts_at=EPOCH - 600.0)
    hot = Effect(metric=name, host="gpu030", how="set", starts_at=EPOCH - 300.0, amount=90.0)
    struck = make_world(seed=7, epoch=EPOCH, live_at=LIVE_AT)
    vars(struck)["effects"] = (hot, gone)  # in the place of what is worked out once
    party = SeriesStore(world=struck, party="aurora")
    host = Matcher(label="Hostname", operator="=", value="gpu030")
    values = party.values(party.select((*_named(name), host))[0], AT)
    np.testing.assert_array_equal(np.isnan(values).all(axis=0), EPOCH - 600.0 <= AT)


def test_noise_is_even_and_repeatable() -> None:
    keys = np.array([3, 4], dtype=np.uint64)
    ticks = np.arange(20_000, dtype=np.uint64)
    values = uniform(key=keys, tick=ticks)
    np.testing.assert_array_equal(values[1:], uniform(key=keys[1:], tick=ticks))
    assert abs(values.mean() - 0.5) < 0.01
    assert abs(np.mean((values[0] - 0.5) * (values[1] - 0.5))) < 0.005


def test_dice_depend_on_nothing_but_seed_and_name() -> None:
    assert Dice(seed=1).integer("a", 0, 999) == Dice(seed=1).integer("a", 0, 999)
    assert Dice(seed=1).at("x").fraction("a") != Dice(seed=2).at("x").fraction("a")
    assert sorted(Dice(seed=3).shuffled("s", [1, 2, 3])) == [1, 2, 3]
