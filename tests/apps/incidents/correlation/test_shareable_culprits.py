"""A header that every party reads names no file of one party."""

import pytest

from apps.diagnosis.model import (
    Device,
    Diagnosis,
    EndState,
    Hypothesis,
    Layer,
    Phase,
    Restart,
    Topology,
    Verdict,
    VerdictStatus,
)
from apps.incidents.projection.shareable_culprits import shareable

TOPOLOGY = Topology(mounts={"/ckpt": "nas1"})


def _named(device: Device) -> tuple[Device, ...]:
    diagnosis = Diagnosis(
        verdict=Verdict(
            status=VerdictStatus.LIKELY,
            layer=Layer.STORAGE,
            cause="x",
            probability=0.9,
            cause_probability=0.9,
            culprits=(device,),
        ),
        end_state=EndState.FAILED,
        phase=Phase.ITERATE,
        restart=Restart(advice="restart"),
        hypotheses=(
            Hypothesis(
                layer=Layer.STORAGE,
                cause="x",
                probability=0.9,
                cause_probability=0.9,
                culprits=(device,),
            ),
        ),
    )
    told = shareable(diagnosis=diagnosis, topology=TOPOLOGY)
    assert told.hypotheses[0].culprits == told.verdict.culprits
    return told.verdict.culprits


@pytest.mark.parametrize(
    "device",
    [
        Device(kind="mount", name="/ckpt"),
        Device(kind="server", name="nas1"),
        Device(kind="nic", host="gpu001", name="mlx5_3"),
        Device(kind="gpu", host="gpu001", index=3),
    ],
)
def test_what_the_inventory_or_the_hardware_names_stays(device: Device) -> None:
    assert _named(device) == (device,)


def test_a_path_of_a_log_is_left_to_its_holder() -> None:
    for path in ("/data/secret-project/step-1", "secret-project/step-1.pt", "secret-step-1.pt"):
        assert _named(Device(kind="mount", name=path)) == ()
        assert _named(Device(kind="mount", host="gpu001", name=path)) == (
            Device(kind="mount", host="gpu001"),
        )
    assert _named(Device(kind="process", host="gpu001", name="/home/ann/train.py")) == (
        Device(kind="process", host="gpu001"),
    )


@pytest.mark.parametrize("kind", ["server", "mount"])
def test_of_a_servers_export_the_server_stays(kind: str) -> None:
    export = Device(kind=kind, name="nas2:/export/secret-project")
    assert _named(export) == (Device(kind=kind, name="nas2"),)


def test_what_only_looks_like_an_export_names_no_folder() -> None:
    assert _named(Device(kind="mount", name="secret/step:/1.pt")) == ()
