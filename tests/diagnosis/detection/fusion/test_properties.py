"""What holds for any findings."""

from dataclasses import replace
from datetime import timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from apps.diagnosis.detection.fusion import fuse
from apps.diagnosis.detection.fusion.findings import finding_of, score_of
from apps.diagnosis.model import Anomaly, Band, BandKind, EarlyWarning, Layer, Role, Scene
from tests.diagnosis.detection.fusion.noticed import HOSTS, at, found, session

FEW = HOSTS[:8]
ANOMALIES = st.builds(
    found,
    st.sampled_from(["nvlink", "power", "link", "nfs-queue", "host-load"]),
    st.integers(0, 400),
    host=st.sampled_from(FEW),
    layer=st.sampled_from([Layer.GPU, Layer.NETWORK, Layer.STORAGE, Layer.HOST]),
    kind=st.sampled_from(["peer-deviation", "counter-increase", "saturation", "silence"]),
    score=st.floats(0.05, 40),
    role=st.sampled_from(list(Role)),
    lasts=st.floats(4, 300),
    continuity=st.sampled_from([0.0, 1.0, 4.0]),
    gpu=st.one_of(st.none(), st.integers(0, 7)),
)
LISTS = st.lists(ANOMALIES, max_size=25)


def fused(
    anomalies: list[Anomaly], scene: Scene | None = None, **more: object
) -> tuple[EarlyWarning, ...]:
    return fuse(anomalies=anomalies, scene=scene or session(), hosts=FEW, **more)  # type: ignore[arg-type]  # passed through


def known_then(episode: EarlyWarning) -> tuple[object, ...]:
    """Return what was known when the episode was raised."""
    return (
        episode.entity, episode.layer, episode.starts_at, episode.raised_at, episode.score,
        episode.is_page, episode.hosts, episode.causes, episode.statement, episode.upgrades,
    )  # fmt: skip


@settings(deadline=None)
@given(LISTS, st.randoms(use_true_random=False))
def test_the_order_of_findings_does_not_matter(anomalies: list[Anomaly], random: object) -> None:
    shuffled = list(anomalies)
    random.shuffle(shuffled)  # type: ignore[attr-defined]  # hypothesis types it as object
    assert fused(shuffled) == fused(anomalies)


@settings(deadline=None)
@given(LISTS, ANOMALIES)
def test_a_finding_more_never_lowers_the_score(anomalies: list[Anomaly], one: Anomaly) -> None:
    findings = [finding_of(each) for each in anomalies]
    assert score_of([*findings, finding_of(one)]) >= score_of(findings) - 1e-12


@settings(deadline=None)
@given(LISTS, st.floats(1e-6, 1e6))
def test_units_do_not_matter(anomalies: list[Anomaly], scale: float) -> None:
    scaled = [replace(one, value=(one.value or 0) * scale, unit="other") for one in anomalies]
    assert [each.raised_at for each in fused(scaled)] == [
        each.raised_at for each in fused(anomalies)
    ]


@settings(deadline=None)
@given(LISTS, st.sampled_from(list(BandKind)), st.integers(0, 300), st.integers(1, 200))
def test_no_band_hides_a_hard_fact(
    anomalies: list[Anomaly], kind: BandKind, start: int, length: int
) -> None:
    scene = replace(
        session(), bands=(Band(kind=kind, starts_at=at(start), ends_at=at(start + length)),)
    )
    hard = {
        finding_of(one).family
        for one in anomalies
        if one.kind == "counter-increase" and finding_of(one).is_fatal
    }
    assert hard <= {family for each in fused(anomalies, scene) for family in each.families}


@settings(max_examples=300, deadline=None)
@given(LISTS, st.integers(0, 700))
def test_a_longer_stream_never_changes_what_was_raised(anomalies: list[Anomaly], cut: int) -> None:
    now = at(cut)
    prefix = [
        replace(each, ends_at=min(each.ends_at or now, max(now, each.noticed_at)))
        for each in anomalies
        if each.noticed_at and each.noticed_at <= now
    ]
    before = [known_then(each) for each in fused(prefix, until=now) if each.is_page]
    after = [known_then(each) for each in fused(anomalies) if each.is_page]
    assert [each for each in before if each not in after] == []


@settings(deadline=None)
@given(LISTS)
def test_a_page_needs_nothing_that_was_noticed_after_it(anomalies: list[Anomaly]) -> None:
    for page in fused(anomalies):
        seen = [each for each in anomalies if (each.noticed_at or at(0)) <= page.raised_at]
        again = fused(seen, until=page.raised_at + timedelta(seconds=1))
        assert not page.is_page or page.raised_at in {each.raised_at for each in again}


@settings(deadline=None)
@given(LISTS)
def test_told_twice_is_told_once(anomalies: list[Anomaly]) -> None:
    shorter = [replace(one, ends_at=one.noticed_at) for one in anomalies]
    assert fused([*shorter, *anomalies]) == fused(anomalies)


def test_a_page_lasts_as_long_as_its_findings() -> None:
    [page] = fused([found("nvlink", 0, lasts=100), found("power", 0, lasts=100)])
    assert page.ends_at == at(100)
    assert page.raised_at - page.starts_at < timedelta(minutes=10)
