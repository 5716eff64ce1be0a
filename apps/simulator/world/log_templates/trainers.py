"""Training frameworks: start, iterations, a beat of every rank, checkpoints."""

from apps.simulator.world.machines.cluster import SimulatedNode
from apps.simulator.world.noise import Dice
from apps.simulator.world.story import SimulatedAttempt

_BLUE, _GREEN, _RESET = "\x1b[38;2;54;234;195m", "\x1b[32m", "\x1b[39m"


def _time(attempt: SimulatedAttempt, node: SimulatedNode, at: float, *, with_millis: bool) -> str:
    local = node.local(at, attempt.zone(node))
    return f"{local:%Y-%m-%d %H:%M:%S}" + (
        f",{local.microsecond // 1000:03d}" if with_millis else ""
    )


def path(attempt: SimulatedAttempt) -> str:
    """Return where an attempt keeps its checkpoints."""
    return f"/ckpt/{attempt.project}/{attempt.job}"


def banner(*, attempt: SimulatedAttempt, node: SimulatedNode, at: float) -> list[str]:
    """Return what rank 0 prints before training."""
    directory = path(attempt)
    stamp = _time(attempt, node, at, with_millis=False)
    if attempt.style.trainer == "megatron":
        return [
            (
                f"using world size: {attempt.world_size}, data-parallel size: "
                f"{attempt.world_size // 8}, "
                "context-parallel size: 1, tensor-model-parallel size: 8, "
                "pipeline-model-parallel size: 1"
            ),
            f" loading distributed checkpoint from {directory} at iteration {first_step(attempt)}",
            (
                f"  successfully loaded checkpoint from {directory} [ t 1/8, p 1/1 ] at iteration "
                f"{first_step(attempt)}"
            ),
            f"[before the start of training step] datetime: {stamp} ",
        ]
    if attempt.style.trainer == "deepspeed":
        head = f"[{_time(attempt, node, at, with_millis=True)}] [INFO]"
        return [
            f"{head} [comm.py:652:init_distributed] cdb=None",
            (
                f"{head} [engine.py:1347:_configure_distributed_model] ZeRO stage 3, world "
                f"{attempt.world_size}"
            ),
            (
                f"{head} [torch_checkpoint_engine.py:41:load] [Torch] Loaded checkpoint from "
                f"{directory}/global_step{first_step(attempt)}/zero_pp_rank_0_mp_rank_00_model_states.pt."
            ),
        ]
    head = f"[titan] {_time(attempt, node, at, with_millis=True)} - root - INFO -"
    return [
        f"{head} Starting job: {attempt.job}",
        f"{head} {_BLUE}Building 1-D device mesh with ['dp_shard'], [{attempt.world_size}]{_RESET}",
        f"{head} Training starts at step {first_step(attempt) + 1}.",
    ]


def first_step(attempt: SimulatedAttempt) -> int:
    """Return the step that the attempt resumed from."""
    return (
        Dice(seed=attempt.seed).integer(f"first/{attempt.job}", 40, 300) * 100
        + attempt.number * 200
    )


def training_loss(*, attempt: SimulatedAttempt, step: int) -> float:
    """Return the training loss of a step."""
    wobble = Dice(seed=attempt.seed).between(f"loss/{attempt.key}/{step}", -0.02, 0.02)
    return 2.31 - 0.00001 * step + wobble


def iteration(
    *, attempt: SimulatedAttempt, node: SimulatedNode, at: float, step: int, seconds: float
) -> str:
    """Return the line that one rank prints for all."""
    dice = Dice(seed=attempt.seed)
    loss = training_loss(attempt=attempt, step=step)
    norm = dice.between(f"norm/{attempt.key}/{step}", 0.31, 0.62)
    if attempt.style.trainer == "megatron":
        return (
            f" [{_time(attempt, node, at, with_millis=False)}] iteration {step:8d}/  "
            "500000 | consumed samples: "
            f"{step * 2048:12d} | elapsed time per iteration (ms): {seconds * 1000:.1f} | "
            "throughput per GPU "
            f"(TFLOP/s/GPU): {4680 / seconds:.1f} | learning rate: 1.200000E-04 | global "
            "batch size:  2048 | "
            f"lm loss: {loss:.6E} | loss scale: 1.0 | grad norm: {norm:.3f} | number of "
            "skipped iterations:   0 | "
            "number of nan iterations:   0 |"
        )
    if attempt.style.trainer == "deepspeed":
        return (
            f"[{_time(attempt, node, at, with_millis=True)}] [INFO] [timer.py:264:stop] "
            f"epoch=0/micro_step={step * 4}/global_step={step}, "
            f"RunningAvgSamplesPerSec={512 / seconds:.4f}, "
            f"CurrSamplesPerSec={512 / seconds:.4f}, MemAllocated=61.31GB, MaxMemAllocated=148.72GB"
        )
    return titan_step(attempt=attempt, node=node, at=at, step=step, seconds=seconds, loss=loss)


def titan_step(
    *,
    attempt: SimulatedAttempt,
    node: SimulatedNode,
    at: float,
    step: int,
    seconds: float,
    loss: float,
) -> str:
    """Return a step line with its colours between the fields."""
    return (
        f"[titan] {_time(attempt, node, at, with_millis=True)} - root - INFO - "
        f"\x1b[31mstep: {step:2d}  "
        f"{_GREEN}loss: {loss:7.4f}  \x1b[38;2;180;60;0mgrad_norm:  0.4113  "
        f"{_BLUE}memory: 148.20GiB(83.10%)  "
        f"\x1b[34mtps: {int(61000 / seconds):,}  \x1b[36mtflops: {4680 / seconds:.2f}  "
        f"\x1b[35mmfu: 41.20%{_RESET}"
    )


def beat(  # noqa: PLR0913  the fields of one log line
    *,
    attempt: SimulatedAttempt,
    node: SimulatedNode,
    rank: int,
    at: float,
    step: int,
    seconds: float,
    lag: float,
) -> str:
    """Return a rank's own sign of life; `lag` is the extra compute time of a slow rank."""
    compute = seconds * 0.82 + lag * 0.9
    wait = max(seconds * 0.96 - compute, 0.004)
    stamp = _time(attempt, node, at, with_millis=True)
    if attempt.style.trainer == "megatron":
        return (
            f"[rank{rank}] {stamp} step {step} forward-backward {compute * 1000:.1f} ms, "
            f"grad-sync {wait * 1000:.1f} ms, data {3.1 + rank % 5:.1f} ms"
        )
    if attempt.style.trainer == "deepspeed":
        return (
            f"[{stamp}] [INFO] [logging.py:128:log_dist] [Rank {rank}] time (ms) | fwd_microstep: "
            f"{compute * 310:.2f} | bwd_microstep: {compute * 690:.2f} | bwd_allreduce_microstep: "
            f"{wait * 1000:.2f} | step_microstep: 88.10 | global_step {step}"
        )
    return (
        f"[rank{rank}]:[titan] {stamp} - root - INFO - step: {step:2d}  compute: {compute:.3f}s  "
        f"comm wait: {wait:.3f}s"
    )


def save_started(*, attempt: SimulatedAttempt, node: SimulatedNode, at: float, step: int) -> str:
    """Return that rank 0 began a checkpoint."""
    if attempt.style.trainer == "megatron":
        return f"saving checkpoint at iteration {step:7d} to {path(attempt)} in torch_dist format"
    stamp = _time(attempt, node, at, with_millis=True)
    if attempt.style.trainer == "deepspeed":
        return (
            f"[{stamp}] [INFO] [torch_checkpoint_engine.py:21:save] [Torch] Saving "
            f"{path(attempt)}/global_step{step}/zero_pp_rank_0_mp_rank_00_model_states.pt..."
        )
    return (
        f"[titan] {stamp} - root - INFO - Saving the checkpoint (or staging if async is enabled)."
    )


def save_finished(
    *, attempt: SimulatedAttempt, node: SimulatedNode, at: float, step: int, seconds: float
) -> str:
    """Return that the checkpoint is complete."""
    if attempt.style.trainer == "megatron":
        return (
            f"  successfully saved checkpoint from iteration {step:7d} to {path(attempt)} [ t "
            "1/8, p 1/1 ]"
        )
    stamp = _time(attempt, node, at, with_millis=True)
    if attempt.style.trainer == "deepspeed":
        return (
            f"[{stamp}] [INFO] [torch_checkpoint_engine.py:31:save] [Torch] Saved "
            f"{path(attempt)}/global_step{step}/zero_pp_rank_0_mp_rank_00_model_states.pt."
        )
    return (
        f"[titan] {stamp} - root - INFO - Finished saving the checkpoint in {seconds:.2f} seconds."
    )


def finished(*, attempt: SimulatedAttempt, node: SimulatedNode, at: float) -> str:
    """Return the last line of a run that ended as planned."""
    stamp = _time(attempt, node, at, with_millis=False)
    return f"exiting program after {attempt.job} reached its last iteration, datetime: {stamp} "
