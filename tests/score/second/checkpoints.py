"""What each framework prints as it writes a checkpoint."""

from tests.score.second.draft import SessionDraft
from tests.score.second.lines.others import absl
from tests.score.second.stamps import comma, local


def save(draft: SessionDraft, at: float, step: int, *, seconds: float = 0.0) -> float:
    """Print that a checkpoint is written, and return how long that took; with seconds it hangs."""
    rig, rank = draft.rig, 0
    took = seconds or draft.rng.uniform(5, 25)
    at0, at1 = draft.own_clock(at, rank), draft.own_clock(at + took, rank)
    zone = rig.program_zone
    texts = {
        "megatron": (
            (
                f"[{local(at0, zone):%Y-%m-%d %H:%M:%S.%f}] saving checkpoint at iteration {step:7d} "  # noqa: E501
                f"to /ckpt/{rig.run} in torch_dist format"
            ),
            (
                f"  [{local(at1, zone):%Y-%m-%d %H:%M:%S.%f}] successfully saved checkpoint from "
                f"iteration {step:7d} to /ckpt/{rig.run} [ t 1/2, p 1/1 ]"
            ),
        ),
        "deepspeed": (
            (
                f"[{comma(at0, zone)}] [INFO] [logging.py:107:log_dist] [Rank 0] Saving model "
                f"checkpoint: /ckpt/{rig.run}/global_step{step}/mp_rank_00_model_states.pt"
            ),
            (
                f"[{comma(at1, zone)}] [INFO] [engine.py:3701:save_checkpoint] [Torch] Checkpoint "
                f"global_step{step} is ready now!"
            ),
        ),
        "titan": (
            (
                f"[rank0]:[titan] {comma(at0, zone)} - root - INFO - Saving the checkpoint (or "
                "staging if async is enabled)."
            ),
            (
                f"[rank0]:[titan] {comma(at1, zone)} - root - INFO - Finished saving the checkpoint "  # noqa: E501
                f"(or staging if async is enabled)in {took:.2f} seconds."
            ),
        ),
        "jax": (
            absl(
                draft, at, 0, "I", "checkpointer.py:287", f"Saving item to gs-cache/{step}/items."
            ),
            absl(
                draft,
                at + took,
                0,
                "I",
                "checkpointer.py:308",
                f"Finished synchronous save in {took:.2f} seconds",
            ),
        ),
    }
    begun, over = texts.get(
        rig.framework,
        (
            f"Saving model checkpoint to /ckpt/{rig.run}/checkpoint-{step}",
            f"Checkpoint /ckpt/{rig.run}/checkpoint-{step} written",
        ),
    )
    draft.say(at, rank, begun)
    if at + took < draft.stops:
        draft.say(at + took, rank, over)
    return took
