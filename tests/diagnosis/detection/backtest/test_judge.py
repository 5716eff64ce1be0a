"""What counts as found, early, and false."""

from collections.abc import Sequence
from datetime import datetime, timedelta

import pytest

from apps.diagnosis.detection.backtest import BacktestReport, Label, WatchedSpan, judge
from apps.diagnosis.detection.backtest.alarms import alarms_of, trivial
from apps.diagnosis.detection.backtest.document import document
from apps.diagnosis.detection.backtest.report import DetectionDelay
from apps.diagnosis.model import Contribution, Device, EarlyWarning, Layer
from apps.wording import in_english
from tests.diagnosis.detection.fusion.noticed import at, fact, found, silence

HOSTS = tuple(f"gpu{number:03}" for number in range(63))
WATCHED = WatchedSpan(
    starts_at=at(-60 * 24),
    ends_at=at(60 * 24 * 54),
    hosts=HOSTS,
    observed_seconds=55 * 86_400.0,
    node_seconds=55 * 63 * 86_400.0,
)


def page(
    host: str | None,
    minutes: float,
    *,
    lasts: float = 10,
    families: Sequence[str] = ("nvlink", "power"),
    hosts: tuple[str, ...] = (),
) -> EarlyWarning:
    entity = Device(kind="node", host=host) if host else Device(kind="server", name="vast-1")
    return EarlyWarning(
        entity=entity,
        layer=Layer.GPU,
        starts_at=at(minutes - 5),
        raised_at=at(minutes),
        ends_at=at(minutes + lasts),
        score=0.9,
        contributions=tuple(_vote(family, at(minutes), entity) for family in families),
        is_page=True,
        hosts=hosts,
    )


def _vote(family: str, when: datetime, entity: Device) -> Contribution:
    return Contribution(
        family=family, layer=Layer.GPU, kind="peer-deviation", signal=family, entity=entity,
        starts_at=when, noticed_at=when, weight=0.5,
    )  # fmt: skip


def judged(episodes: Sequence[EarlyWarning], *labels: Label) -> BacktestReport:
    return judge(episodes=episodes, labels=labels, watched=WATCHED)


FAILURE = Label(at=at(600), host="gpu003", xid=149)


@pytest.mark.parametrize(
    ("minutes", "when"),
    [
        (570, DetectionDelay.BEFORE),
        (600, DetectionDelay.AT),
        (600.9, DetectionDelay.AT),
        (599.1, DetectionDelay.AT),
        (603, DetectionDelay.AFTER),
    ],
)
def test_a_detection_is_before_at_or_after_the_failure(
    minutes: float, when: DetectionDelay
) -> None:
    report = judged([page("gpu003", minutes)], FAILURE)
    assert report.outcomes[0].when is when
    assert report.outcomes[0].lead == timedelta(minutes=600 - minutes)
    assert not report.false_alarms[0].alarms


def test_an_alarm_on_another_host_is_false_and_finds_nothing() -> None:
    report = judged([page("gpu004", 590)], FAILURE)
    assert report.detected.hits == 0
    assert len(report.false_alarms[0].alarms) == 1


def test_the_horizon_decides_what_is_false() -> None:
    report = judged([page("gpu003", 600 - 7 * 60)], FAILURE)
    assert [len(each.alarms) for each in report.false_alarms] == [0, 1, 1]


def test_a_known_first_sign_makes_an_earlier_warning_right() -> None:
    early = Label(at=at(60 * 24 * 20), host="gpu003", since=at(60 * 24 * 2))
    report = judged([page("gpu003", 60 * 24 * 10)], early)
    assert report.outcomes[0].when is DetectionDelay.BEFORE
    assert report.detected.hits == 1


def test_until_it_was_repaired_an_alarm_is_of_it() -> None:
    broken = Label(at=at(600), host="gpu003", until=at(1200))
    assert not judged([page("gpu003", 1100)], broken).false_alarms[2].alarms
    assert len(judged([page("gpu003", 1100)], FAILURE).false_alarms[2].alarms) == 1


def test_an_alarm_between_two_failures_is_of_the_nearer() -> None:
    other = Label(at=at(700), host="gpu003")
    report = judged([page("gpu003", 690)], FAILURE, other)
    assert [each.alarm is not None for each in report.outcomes] == [False, True]


def test_a_shared_episode_is_of_its_part_and_of_no_single_host() -> None:
    shared = [page(None, 590, hosts=("gpu003", "gpu004"))]
    assert judged(shared, FAILURE).detected.hits == 0
    assert judged(shared, Label(at=at(600), part="vast-1")).detected.hits == 1
    assert judged(shared, Label(at=at(600), part="vast-2")).detected.hits == 0


def test_pages_of_one_host_within_half_an_hour_are_one_alarm() -> None:
    pages = [page("gpu009", 100), page("gpu009", 130, families=("xid",)), page("gpu009", 300)]
    first, second = alarms_of(pages)
    assert first.families == ("nvlink", "power", "xid")
    assert second.raised_at == at(300)


def test_the_published_rates_come_out_with_their_intervals() -> None:
    """46 false alarms in 55 days on 63 nodes, as the first version of the study counted them."""
    wolves = [page(HOSTS[n], 60 * 24 * n) for n in range(46)]
    false = judged(wolves).false_alarms[0]
    assert false.a_day.per_day == pytest.approx(0.836, abs=0.001)
    assert false.a_day.interval == pytest.approx((0.61, 1.12), abs=0.01)
    assert false.a_node_day.per_day == pytest.approx(0.0133, abs=0.0001)


def test_families_are_counted_over_the_detections() -> None:
    report = judged(
        [page("gpu003", 590), page("gpu005", 990, families=("power", "ecc", "xid"))],
        FAILURE,
        Label(at=at(1000), host="gpu005"),
    )
    power = next(each for each in report.families if each.family == "power")
    assert (power.took_part.hits, power.led.hits) == (2, 1)
    assert power.vote_share == pytest.approx(0.4)


def test_blind_alarms_are_expected_to_hit_little() -> None:
    report = judged([page("gpu003", 590)], FAILURE)
    assert report.chance is not None
    assert 0 < report.chance.detected < 0.001


def test_failures_outside_of_the_range_are_not_judged() -> None:
    report = judged([], FAILURE, Label(at=at(60 * 24 * 60), host="gpu003"))
    assert (len(report.outcomes), len(report.outside)) == (1, 1)


def test_trivial_rules_alarm_on_what_they_name() -> None:
    rules = trivial([fact("xid", 5), silence("gpu001", 9), found("power", 3)])
    assert {name: len(alarms) for name, alarms in rules.items()} == {
        "Xid only": 1,
        "host silent only": 1,
        "any counter": 1,
    }


def test_the_document_says_what_the_report_says() -> None:
    told = document(
        report=judged([page("gpu003", 590), page("gpu009", 5)], FAILURE), said=in_english
    )
    assert told["schema"] == "faultline.backtest/1"
    assert told["detected"]["hits"] == 1
    assert told["before"]["rate"] == 1.0
    assert told["lead_seconds"]["p50"] == 600.0
    assert told["false_alarms"][0]["per_day"]["count"] == 1
    assert told["failures"][0]["alarm"]["families"] == ["nvlink", "power"]


def test_nothing_watched_and_nothing_labelled_is_no_division() -> None:
    watched = WatchedSpan(
        starts_at=at(0), ends_at=at(0), hosts=(), observed_seconds=0, node_seconds=0
    )
    report = judge(episodes=[], labels=[], watched=watched)
    assert report.detected.rate is None
    assert document(report=report, said=in_english)["false_alarms"][0]["per_day"]["rate"] is None
