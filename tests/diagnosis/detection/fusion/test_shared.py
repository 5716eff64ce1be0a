"""Many hosts at once: one episode on what they share."""

from collections.abc import Sequence

from apps.diagnosis.detection.fusion import fuse
from apps.diagnosis.model import Anomaly, Device, EarlyWarning, Layer, Role, Topology
from tests.diagnosis.detection.fusion.noticed import HOSTS, fact, found, pages, session, told

SERVER = Device(kind="server", name="vast-1")


def waiting(host: str, minutes: float) -> list[Anomaly]:
    """Return what a client of a saturated file server shows."""
    mount = Device(kind="mount", host=host, name="vast-1:/ckpt")
    return [
        found(
            "nfs-queue", minutes, entity=mount, layer=Layer.STORAGE, kind="saturation", score=0.93,
            value=0.93, unit="ratio", causes=("checkpoint-slow",), lasts=40,
        ),
        found(
            "nfs-transport", minutes, entity=mount, layer=Layer.STORAGE, score=12.0,
            causes=("checkpoint-slow",), lasts=40,
        ),
    ]  # fmt: skip


def fused(anomalies: Sequence[Anomaly], parts: Topology | None = None) -> tuple[EarlyWarning, ...]:
    return fuse(anomalies=anomalies, scene=session(), hosts=HOSTS, parts=parts)


def test_saturation_on_58_of_60_hosts_is_one_episode_on_the_server() -> None:
    many = [each for place, host in enumerate(HOSTS[:58]) for each in waiting(host, place * 0.03)]
    [page] = fused(many)
    assert page.is_page
    assert page.entity == SERVER
    assert page.layer is Layer.STORAGE
    assert len(page.hosts) == 58
    assert "58 of 60 hosts" in told(page)
    assert "consistent with saturation of the NFS client queues against file server vast-1" in told(
        page
    )
    assert "queue share 0.93" in told(page)
    assert "server response flat" in told(page)


def test_a_server_that_answers_later_is_said_so() -> None:
    many = [each for host in HOSTS[:58] for each in waiting(host, 0)]
    many += [
        found(
            "nfs-server", 0, host=host, layer=Layer.STORAGE, causes=("nfs-unavailable",), lasts=40
        )
        for host in HOSTS[:58]
    ]
    [page] = pages(fused(many))
    assert "speaks for the server" in told(page)


def test_adapters_of_one_rail_are_blamed_together() -> None:
    many = [
        found(
            family, 0, layer=Layer.NETWORK, causes=("link-down",),
            entity=Device(kind="nic", host=host, name="mlx5_3"),
        )
        for host in HOSTS[:30] for family in ("link", "rdma-retries")
    ]  # fmt: skip
    [page] = fused(many)
    assert page.entity == Device(kind="link", name="mlx5_3")


def test_cabling_that_is_known_names_the_switch() -> None:
    many = [
        found(
            family, 0, layer=Layer.NETWORK, causes=("link-down",),
            entity=Device(kind="nic", host=host, name=f"mlx5_{place % 8}"),
        )
        for place, host in enumerate(HOSTS[:20]) for family in ("link", "rdma-retries")
    ]  # fmt: skip
    switches = {f"{host}/mlx5_{place % 8}": "leaf-7" for place, host in enumerate(HOSTS)}
    [page] = fused(many, Topology(switches=switches))
    assert page.entity == Device(kind="switch", name="leaf-7")


def test_movement_of_a_whole_session_is_its_own_and_no_hosts() -> None:
    many = [
        found(family, 0, host=host, role=Role.INITIATING, causes=("gpu-throttling",))
        for host in HOSTS[:40] for family in ("throttling", "temperature")
    ]  # fmt: skip
    [page] = fused(many)
    assert page.entity == Device(kind="program", name="attempt 1")
    assert len(page.hosts) == 40


def test_two_hosts_are_no_common_cause() -> None:
    two = [found(family, 0, host=host) for host in HOSTS[:2] for family in ("nvlink", "power")]
    assert {page.entity.host for page in pages(fused(two))} == set(HOSTS[:2])


def test_the_host_that_failed_keeps_its_own_page_when_all_others_stop_with_it() -> None:
    stop = [
        found("utilisation", 1, host=host, role=Role.CASCADE, causes=("slow-member",))
        for host in HOSTS
    ]  # fmt: skip
    own = [fact("xid", 0, gpu=3), found("nvlink", 0, gpu=3)]
    assert [page.entity.host for page in pages(fused([*stop, *own]))] == ["gpu017"]


def test_hosts_that_were_early_wait_and_join_the_shared_episode() -> None:
    early = waiting(HOSTS[0], 0)
    many = [each for host in HOSTS[1:58] for each in waiting(host, 1.5)]
    assert len(pages(fused([*early, *many]))) == 1
