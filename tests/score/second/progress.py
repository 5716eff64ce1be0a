"""A run while all is well: how each framework begins, and a line for its steps."""

from collections.abc import Callable

from tests.score.second.checkpoints import save
from tests.score.second.draft import SessionDraft
from tests.score.second.lines import nccl, slurm
from tests.score.second.lines import pods as kube
from tests.score.second.lines.others import absl
from tests.score.second.stamps import comma, local, plain

MOST_TOLD = 160  # lines of progress
SAVE_EVERY = 40  # lines of progress between two checkpoints


def begin(draft: SessionDraft) -> None:
    """Let the session start: the scheduler's word, communicators, the framework's first lines."""
    rig, rng = draft.rig, draft.rng
    if rig.is_in_pods:
        kube.started(draft)
    else:
        draft.control.extend(slurm.controller(draft))
    for rank in range(rig.size):
        at = rig.began + 8 + rng.random()
        if rig.is_verbose and rig.framework != "jax":
            draft.say(at, rank, *nccl.began(draft, at, rank))
        elif rank == 0:
            draft.say(at, rank, f"NCCL version {rig.nccl}+cuda12.{4 + rig.job % 5}")
    draft.say(rig.began + 10, 0, *_heads(draft))


def _heads(draft: SessionDraft) -> list[str]:
    rig = draft.rig
    at = draft.clock(rig.began + 10, 0)
    zone = rig.program_zone
    heads: dict[str, list[str]] = {
        "megatron": [
            (
                f"using world size: {rig.size}, data-parallel size: {rig.size // 2}, context-parallel "  # noqa: E501
                "size: 1, hierarchical context-parallel sizes: None, tensor-model-parallel size: 2, "  # noqa: E501
                "pipeline-model-parallel size: 1"
            ),
            "> setting random seeds to 1234 ...",
            "> building GPT2BPETokenizer tokenizer ...",
        ],
        "nemo": [
            (
                f"[NeMo I {plain(at, zone)} nemo_logging:393] Experiments will be logged at "
                f"/results/{rig.run}"
            ),
            f"[NeMo W {plain(at, zone)} nemo_logging:405] WandB is currently turned off",
            "Trainer already configured with model summary callbacks.",
        ],
        "deepspeed": [
            f"[{comma(at, zone)}] [INFO] [comm.py:669:init_distributed] cdb=None",
            (
                f"[{comma(at, zone)}] [INFO] [comm.py:700:init_distributed] Initializing TorchBackend "  # noqa: E501
                "in DeepSpeed with backend nccl"
            ),
        ],
        "titan": [
            f"[rank0]:[titan] {comma(at, zone)} - root - INFO - Starting job: {rig.run}",
            (
                f"[rank0]:[titan] {comma(at, zone)} - root - INFO - Building 1-D device mesh with "
                f"['dp_shard'], [{rig.size}]"
            ),
        ],
        "trainer": ["***** Running training *****", f"  Num examples = {rig.job * 11:,}"],
        "ray": ["Training started with configuration:"],
        "jax": [
            absl(
                draft,
                rig.began + 10,
                0,
                "I",
                "distributed.py:127",
                f"Connecting to JAX distributed service on {rig.hosts[0].address}:12345",
            )
        ],
        "horovod": ["Train for 500 steps per epoch"],
    }
    return heads[rig.framework]


def loss(draft: SessionDraft, step: int) -> float:
    """Return a falling loss with some noise."""
    return 1.7 + 6.0 / (1 + step / 900) + draft.rng.gauss(0, 0.01)


def _megatron(draft: SessionDraft, at: float, step: int, took: float) -> list[str]:
    seen = local(at, draft.rig.program_zone)
    return [
        (
            f" [{seen:%Y-%m-%d %H:%M:%S.%f}] iteration {step:8d}/{500000:8d} | consumed samples: "
            f"{step * 1024:12d} | elapsed time per iteration (ms): {took * 1000:.1f} | throughput per "  # noqa: E501
            f"GPU (TFLOP/s/GPU): {2300 / took:.1f} | learning rate: {1.2e-4:.6E} | global batch size: "  # noqa: E501
            f"{1024:5d} | lm loss: {loss(draft, step):.6E} | loss scale: {1.0:.1f} | grad norm: "
            f"{draft.rng.uniform(0.1, 0.6):.3f} | number of skipped iterations: {0:3d} | number of nan "  # noqa: E501
            f"iterations: {0:3d} |"
        )
    ]


def _nemo(draft: SessionDraft, at: float, step: int, took: float) -> list[str]:
    return [
        (
            f"Training epoch 0, iteration {step}/499999 | lr: 0.0001199 | global_batch_size: 512 | "
            f"global_step: {step} | reduced_train_loss: {loss(draft, step):.3f} | "
            f"train_step_timing in s: {took:.3f} | consumed_samples: {step * 512}"
        )
    ]


def _deepspeed(draft: SessionDraft, at: float, step: int, took: float) -> list[str]:
    stamp = comma(at, draft.rig.program_zone)
    rate = 256 / took
    return [
        (
            f"[{stamp}] [INFO] [logging.py:107:log_dist] [Rank 0] step={step}, skipped=2, "
            "lr=[9.65e-06], mom=[(0.9, 0.95)]"
        ),
        (
            f"[{stamp}] [INFO] [timer.py:264:stop] epoch=0/micro_step={step * 4}/global_step={step}, "  # noqa: E501
            f"RunningAvgSamplesPerSec={rate:.4f}, CurrSamplesPerSec={rate * 1.01:.4f}, "
            "MemAllocated=31.22GB, MaxMemAllocated=58.91GB"
        ),
    ]


def _titan(draft: SessionDraft, at: float, step: int, took: float) -> list[str]:
    return [
        (
            f"[rank0]:[titan] {comma(at, draft.rig.program_zone)} - root - INFO - step: {step:2}  "
            f"loss: {loss(draft, step):7.4f}  grad_norm: {draft.rng.uniform(0.1, 0.6):7.4f}  memory: "  # noqa: E501
            f"61.12GiB(77.30%)  tps: {round(30000 / took):,}  tflops: {1400 / took:.2f}  mfu: "
            f"{140 / took:.2f}%"
        )
    ]


def _trainer(draft: SessionDraft, at: float, step: int, took: float) -> list[str]:
    return [
        (
            f"{{'loss': {loss(draft, step):.4f}, 'grad_norm': {draft.rng.uniform(0.1, 0.6):.6f}, "
            f"'learning_rate': 1.2e-05, 'epoch': {step / 90000:.2f}}}"
        ),
        (
            f"{step * 100 // 90000:3d}%|{'█' * (step // 9000):<10}| {step}/90000 "
            f"[{int(step * took) // 3600}:{int(step * took) // 60 % 60:02d}:00<61:12:44, "
            f"{took:5.2f}s/it]"
        ),
    ]


def _ray(draft: SessionDraft, at: float, step: int, took: float) -> list[str]:
    return [f"step {step} loss {loss(draft, step):.4f} step_time {took:.3f}"]


def _jax(draft: SessionDraft, at: float, step: int, took: float) -> list[str]:
    return [
        (
            f"completed step: {step}, seconds: {took:.3f}, TFLOP/s/device: {1400 / took:.3f}, "
            f"Tokens/s/device: {30000 / took:.3f}, total_weights: 1048576, loss: "
            f"{loss(draft, step):.3f}"
        )
    ]


def _horovod(draft: SessionDraft, at: float, step: int, took: float) -> list[str]:
    return [f"Step #{step}\tLoss: {loss(draft, step):.6f}\t({took * 1000:.0f} ms)"]


SAYERS: dict[str, Callable[[SessionDraft, float, int, float], list[str]]] = {
    "megatron": _megatron,
    "nemo": _nemo,
    "deepspeed": _deepspeed,
    "titan": _titan,
    "trainer": _trainer,
    "ray": _ray,
    "jax": _jax,
    "horovod": _horovod,
}


def speaker(draft: SessionDraft) -> int:
    """Return the rank that prints progress."""
    return draft.rig.size - 1 if draft.rig.framework == "megatron" else 0


def told_every(draft: SessionDraft) -> float:
    """Return the seconds between two lines of progress."""
    return draft.rig.step_seconds * draft.rig.steps_between


def steps(draft: SessionDraft, *, slower_from: float = 0.0, slower: float = 1.0) -> int:
    """Print progress until steps stop; return the last step that was told."""
    rig, rank = draft.rig, speaker(draft)
    draft.has_steps = True
    at, step, told = rig.began + 40, rig.first_step, 0
    while told < MOST_TOLD:
        took = rig.step_seconds * draft.rng.gauss(1, 0.01)
        took *= slower if slower_from and at > slower_from else 1
        at += took * rig.steps_between
        step += rig.steps_between
        if at >= draft.stops:
            break
        draft.say(at, rank, *SAYERS[rig.framework](draft, draft.own_clock(at, rank), step, took))
        told += 1
        if told % SAVE_EVERY == 0:
            saved = save(draft, at + 0.2, step)
            at += saved
    return step - rig.steps_between
