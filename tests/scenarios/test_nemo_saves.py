"""What NeMo prints of a checkpoint: one that was scheduled is under way until it says otherwise."""

from apps.diagnosis.model import Diagnosis, Phase
from tests.scenarios.verdicts import diagnosed

NEMO = "[NeMo I 2026-11-22 13:{} nemo_logging:393] {}\n"
STEP = (
    "Training epoch 0, iteration {0}/999 | lr: 1.2e-05 | global_batch_size: 276 | global_step: {0} "
    "| reduced_train_loss: 6.912 | train_step_timing in s: 4.211\n"
)
STARTED = NEMO.format("03:41", "Scheduled async checkpoint save for /raid/run7/step=24.ckpt")
SAVED = (
    "Async checkpoint save for step 24 (/raid/run7/step=24.ckpt) finalized successfully.",
    "Successfully saved checkpoint from iteration      24 to /raid/run7/step=24.ckpt",
)
FULL = "[rank0]: OSError: [Errno 28] No space left on device\n"


def _read(*lines: str) -> Diagnosis:
    return diagnosed(texts={"session/gpu-n01/rank0.log": "".join(lines)})


def test_a_full_disk_behind_a_scheduled_save_has_the_path_of_the_save() -> None:
    found = _read(STEP.format(24), STARTED, FULL)
    assert (found.phase, found.verdict.cause) == (Phase.SAVE, "disk-full")
    assert [(one.name, one.host) for one in found.verdict.culprits] == [
        ("/raid/run7/step=24.ckpt", "gpu-n01")
    ]


def test_a_save_that_ended_gives_no_path() -> None:
    for line in SAVED:
        found = _read(STEP.format(24), STARTED, NEMO.format("03:50", line), FULL)
        assert found.phase is not Phase.SAVE, line
        assert not any(one.name for one in found.verdict.culprits), line
