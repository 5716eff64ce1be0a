"""What pages, when, and whom it blames."""

from dataclasses import replace
from datetime import timedelta

import pytest

from apps.diagnosis.detection.fusion import fuse
from apps.diagnosis.detection.fusion.rules import HOLD
from apps.diagnosis.model import (
    Anomaly,
    Band,
    BandKind,
    Device,
    EarlyWarning,
    Layer,
    Role,
    Scene,
    Topology,
)
from tests.diagnosis.detection.fusion.noticed import (
    HOSTS,
    at,
    fact,
    found,
    pages,
    session,
    silence,
    told,
)

NVLINK, POWER = found("nvlink", 0, gpu=3), found("power", 3, gpu=3)
XID = fact("xid", 60, gpu=3)


def fused(
    *anomalies: Anomaly, scene: Scene | None = None, parts: Topology | None = None
) -> tuple[EarlyWarning, ...]:
    return fuse(anomalies=anomalies, scene=scene or session(), hosts=HOSTS, parts=parts)


def test_two_families_on_one_host_page_after_a_moment_to_hear_the_others() -> None:
    [page] = fused(NVLINK, POWER)
    assert page.is_page
    assert page.families == ("nvlink", "power")
    assert page.raised_at == at(7) + HOLD
    assert page.starts_at == at(0)
    assert page.entity == Device(kind="gpu", host="gpu017", index=3)
    assert page.layer is Layer.GPU
    assert "consistent with NVLink fault" in told(page)


def test_one_family_alone_is_a_signal() -> None:
    [signal] = fused(NVLINK, replace(NVLINK, signal="nvlink.other", score=40.0))
    assert not signal.is_page
    assert signal.families == ("nvlink",)


def test_a_hard_fact_and_one_family_page_at_once() -> None:
    [page] = fused(fact("xid", 5, gpu=3), found("power", 2, gpu=3))
    assert page.is_page
    assert page.is_fatal
    assert page.raised_at == at(6)


def test_a_hard_fact_alone_is_a_signal() -> None:
    [signal] = fused(XID)
    assert not signal.is_page


def test_families_on_two_hosts_do_not_add_up() -> None:
    assert not pages(
        fused(NVLINK, replace(POWER, entity=Device(kind="gpu", host="gpu018", index=3)))
    )


def test_families_far_apart_in_time_do_not_add_up() -> None:
    assert not pages(fused(NVLINK, found("power", 200, gpu=3)))


def test_movement_that_names_no_cause_does_not_page() -> None:
    assert not pages(fused(replace(NVLINK, causes=()), replace(POWER, causes=())))


def test_families_that_speak_for_different_causes_do_not_agree() -> None:
    assert not pages(fused(NVLINK, replace(POWER, causes=("gpu-throttling",))))


def test_circumstances_alone_make_no_cause() -> None:
    assert not pages(fused(*(replace(each, role=Role.CONTEXT) for each in (NVLINK, POWER))))


def test_what_most_hosts_showed_within_the_day_proves_little() -> None:
    usual = [
        replace(each, entity=replace(each.entity, host=host))
        for place, host in enumerate(HOSTS[20:60])
        for each in (
            found("nvlink", -900 + 20 * place, gpu=3),
            found("power", -900 + 20 * place, gpu=3),
        )
    ]
    own = [found(family, 0, gpu=3, score=30) for family in ("nvlink", "power")]
    assert "gpu017" not in {page.entity.host for page in pages(fused(*own, *usual))}
    assert "gpu017" in {page.entity.host for page in pages(fused(*own, *usual[:2]))}


def test_what_a_host_shows_every_day_is_its_habit() -> None:
    habit = [
        found(family, -1440 * day, gpu=3) for day in range(1, 7) for family in ("nvlink", "power")
    ]
    assert at(7) + HOLD not in {page.raised_at for page in pages(fused(NVLINK, POWER, *habit))}


def test_a_counted_error_is_news_for_hours() -> None:
    recovered, replays = fact("nvlink-fabric", 0, gpu=3), found("nvlink", 200, gpu=3)
    assert pages(fused(replace(recovered, role=Role.CONFIRMATION, score=0.2), replays))


def test_a_level_that_moved_with_the_start_of_a_session_is_not_told_when_it_stays() -> None:
    group = replace(session().groups[0], starts_at=at(-5))
    moved = [
        replace(found(family, 3, gpu=3, lasts=600), kind="change-point")
        for family in ("nvlink", "power")
    ]
    assert not pages(fused(*moved, scene=Scene(groups=(group,))))


def test_an_exporter_that_dies_is_no_host_that_dies() -> None:
    lost = replace(silence("gpu017", 0), detail="exporter", role=Role.CONFIRMATION)
    down = found("monitoring", 0, layer=Layer.HOST, causes=("node-unreachable",))
    assert not pages(fused(lost, down))


def test_what_a_teardown_leaves_does_not_page() -> None:
    torn = [replace(each, role=Role.TEARDOWN) for each in (NVLINK, POWER)]
    assert not pages(fused(*torn))


def test_the_same_trouble_within_half_an_hour_is_one_page() -> None:
    again = [found("nvlink", 35, gpu=3), found("power", 36, gpu=3)]
    assert len(pages(fused(NVLINK, POWER, *again))) == 1


def test_trouble_hours_later_is_another_page() -> None:
    again = [found("nvlink", 300, gpu=3), found("power", 301, gpu=3)]
    assert len(pages(fused(NVLINK, POWER, *again))) == 2


def test_a_hard_fact_breaks_through_an_open_page() -> None:
    first, second = pages(fused(NVLINK, POWER, fact("xid", 30, gpu=3)))
    assert not first.is_fatal
    assert second.upgrades
    assert second.is_fatal
    assert second.raised_at == at(30)
    assert first.ends_at == at(30)


def test_parts_that_are_all_off_blame_their_node() -> None:
    both = [found(family, 0, gpu=gpu) for family in ("power", "clock") for gpu in range(8)]
    [page] = pages(fused(*both))
    assert page.entity == Device(kind="node", host="gpu017")


@pytest.mark.parametrize("kind", list(BandKind))
def test_deviations_that_begin_in_a_band_and_end_with_it_are_explained(kind: BandKind) -> None:
    band = Band(kind=kind, starts_at=at(-1), ends_at=at(20))
    assert not pages(fused(NVLINK, POWER, scene=replace(session(), bands=(band,))))


def test_deviations_that_outlive_their_band_count_from_its_end() -> None:
    band = Band(kind=BandKind.SAVE, starts_at=at(-1), ends_at=at(20))
    lasting = [replace(each, ends_at=at(90)) for each in (NVLINK, POWER)]
    [page] = pages(fused(*lasting, scene=replace(session(), bands=(band,))))
    assert at(20) < page.raised_at <= at(30)


@pytest.mark.parametrize("kind", list(BandKind))
def test_no_band_hides_a_hard_fact(kind: BandKind) -> None:
    band = Band(kind=kind, starts_at=at(-60), ends_at=at(600))
    facts = [fact("xid", 5, gpu=3), fact("ecc", 5, gpu=3)]
    assert pages(fused(*facts, scene=replace(session(), bands=(band,))))


def test_a_band_of_other_hosts_explains_nothing_here() -> None:
    band = Band(kind=BandKind.MAINTENANCE, starts_at=at(-1), ends_at=at(20), hosts=("gpu018",))
    assert pages(fused(NVLINK, POWER, scene=replace(session(), bands=(band,))))


def test_the_start_of_a_session_is_a_band_of_its_hosts() -> None:
    group = replace(session().groups[0], starts_at=at(0))
    brief = [found(family, 1, gpu=3, lasts=6) for family in ("nvlink", "power")]
    assert not pages(fused(*brief, scene=Scene(groups=(group,))))
    assert pages(fused(*brief))


def test_a_host_that_two_exporters_lose_pages() -> None:
    [page] = pages(fused(silence("gpu017", 0), silence("gpu017", 0, signal="gpu")))
    assert page.entity == Device(kind="node", host="gpu017")
    assert page.causes[0] == "node-unreachable"
    assert page.ends_at is None


def test_all_hosts_silent_at_once_is_an_outage_of_the_source() -> None:
    lost = [silence(host, 0, lasts=15, signal=one) for host in HOSTS for one in ("node", "gpu")]
    assert not pages(fused(*lost))


def test_one_host_that_stays_silent_after_an_outage_pages() -> None:
    lost = [silence(host, 0, lasts=15, signal=one) for host in HOSTS[1:] for one in ("node", "gpu")]
    gone = [silence(HOSTS[0], 0, signal=one) for one in ("node", "gpu")]
    [page] = pages(fused(*lost, *gone))
    assert page.entity.host == HOSTS[0]
    assert page.raised_at > at(15)


def test_what_is_known_against_a_host_makes_it_page_earlier() -> None:
    weak = [replace(each, score=0.4) for each in (NVLINK, POWER)]
    assert not pages(fused(*weak))
    found_ = fuse(anomalies=weak, scene=session(), hosts=HOSTS, priors={"gpu017": 0.5})
    assert len(pages(found_)) == 1


def test_nothing_is_raised_that_lies_after_what_was_seen() -> None:
    seen = fuse(anomalies=[NVLINK, POWER], scene=session(), hosts=HOSTS, until=at(8))
    assert not pages(seen)
    later = at(7) + HOLD + timedelta(seconds=1)
    assert pages(fuse(anomalies=[NVLINK, POWER], scene=session(), hosts=HOSTS, until=later))


WAITS = [
    found(
        family, 0, layer=Layer.STORAGE, score=12.0, causes=("checkpoint-slow",), lasts=40,
        entity=Device(kind="mount", host="gpu017", name="vast-1:/ckpt"),
    )
    for family in ("nfs-queue", "nfs-transport")
]  # fmt: skip


def test_a_client_that_alone_waits_for_a_server_is_slow_itself() -> None:
    [page] = pages(fused(*WAITS))
    assert page.layer is Layer.HOST
    assert page.entity.host == "gpu017"
    assert "its peers are served as ever" in told(page)
    assert "consistent with slow checkpoint" in told(page)


def test_a_client_that_was_compared_with_nobody_tells_of_storage() -> None:
    [page] = pages(fused(*(replace(each, kind="saturation", score=0.9) for each in WAITS)))
    assert page.layer is Layer.STORAGE
    assert "served as ever" not in told(page)


def test_a_trickle_of_corrected_errors_and_one_remapped_row_page_before_any_fault() -> None:
    worn = ("gpu-ecc-correctable-storm",)
    errors = found("ecc", 0, kind="trickle", score=0.15, causes=worn, lasts=180)
    row = found(
        "row-remap", 170, kind="counter-increase", score=0.1, causes=worn, role=Role.CONTEXT,
        lasts=None, continuity=0,
    )  # fmt: skip
    [page] = pages(fused(errors, row))
    assert (page.families, page.is_fatal) == (("ecc", "row-remap"), False)
    assert not pages(fused(errors))
    assert not pages(fused(row))
