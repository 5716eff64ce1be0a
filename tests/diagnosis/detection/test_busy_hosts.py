"""How busy a host is: its busiest GPU, on the grid of the frame that asks."""

import numpy as np

from apps.diagnosis.detection.detector_state.regimes import _busiest
from apps.diagnosis.model import Notes
from tests.diagnosis.detection.detectors.scene import frame, gpus

TIMES = 6


def test_a_host_is_as_busy_as_its_busiest_gpu() -> None:
    work = np.array([[0.1] * TIMES, [0.9] * TIMES, [0.2] * TIMES, [np.nan] * TIMES])
    used = frame("gpu.utilisation", work, gpus(("n1", "n2"), per_host=2))
    found = _busiest(used, Notes(worked={"frames": (used,)}))
    assert {host: row.tolist() for host, row in found.items()} == {
        "n1": [0.9] * TIMES,
        "n2": [0.2] * TIMES,
    }


def test_only_utilisation_on_the_same_grid_counts() -> None:
    asked = frame("gpu.clock", np.ones((1, TIMES)), gpus(("n1",), per_host=1))
    longer = frame("gpu.utilisation", np.ones((1, TIMES + 1)), gpus(("n1",), per_host=1))
    clock = frame("gpu.clock", np.ones((1, TIMES)), gpus(("n2",), per_host=1))
    used = frame("gpu.utilisation", np.ones((1, TIMES)), gpus(("n3",), per_host=1))
    found = _busiest(asked, Notes(worked={"frames": (longer, clock, used)}))
    assert set(found) == {"n3"}
    assert _busiest(asked, Notes()) == {}
