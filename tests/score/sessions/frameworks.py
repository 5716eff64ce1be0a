# ruff: noqa: E501  the frameworks' lines are long
"""Headers, progress and checkpoint lines of six training frameworks."""

from collections.abc import Callable
from dataclasses import dataclass

from tests.score.sessions.cluster import World
from tests.score.sessions.scene import Scene

BLOCKS = " ▏▎▍▌▋▊▉"


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One line of progress."""

    number: int
    at: float
    seconds: float

    @property
    def loss(self) -> float:
        """Return a loss that falls slowly."""
        return 2.1 + 9.0 / (1 + self.number / 120)


def voice(world: World) -> int:
    """Return the rank that prints progress."""
    return world.size - 1 if world.framework == "megatron" else 0


def header(scene: Scene, at: float) -> None:
    """Print what the framework says of itself before the first step."""
    _HEADERS[scene.world.framework](scene, at)


def progress(scene: Scene, step: Step) -> None:
    """Print one step as the framework does."""
    _PROGRESS[scene.world.framework](scene, step)


def _megatron_header(scene: Scene, at: float) -> None:
    size = scene.world.size
    local = scene.local(0, at)
    for text in (
        f"using world size: {size}, data-parallel size: {size // 8}, context-parallel size: 1, hierarchical context-parallel sizes: Nonetensor-model-parallel size: 8, pipeline-model-parallel size: 1",
        "------------------------ arguments ------------------------",
        "  accumulate_allreduce_grads_in_fp32 .............. True",
        "  distributed_backend ............................. nccl",
        f"  distributed_timeout_minutes ..................... {scene.world.timeout // 60}",
        "  exit_on_missing_checkpoint ...................... False",
        "  log_interval .................................... 1",
        "-------------------- end of arguments ---------------------",
        "> initializing torch distributed ...",
        "> initialized tensor model parallel with size 8",
        "> compiling dataset index builder ...",
        "done with dataset index builder. Compilation time: 0.041 seconds",
        f"[after dataloaders are built] datetime: {local:%Y-%m-%d %H:%M:%S} ",
        "done with setup ...",
        "training ...",
        f"[before the start of training step] datetime: {local:%Y-%m-%d %H:%M:%S} ",
    ):
        scene.rank(0, at, text, is_error=False)


def _megatron(scene: Scene, step: Step) -> None:
    rank, size = voice(scene.world), scene.world.size
    local = scene.local(rank // 8, step.at)
    batch = size * 2
    scene.rank(
        rank,
        step.at,
        f" [{local:%Y-%m-%d %H:%M:%S}] iteration {step.number:8d}/{scene.total:8d} | consumed samples: {step.number * batch:12d} | elapsed time per iteration (ms): {step.seconds * 1000:.1f} | throughput per GPU (TFLOP/s/GPU): {1700 / step.seconds:.1f} | learning rate: 3.000000E-04 | global batch size: {batch:5d} | lm loss: {step.loss:.6E} | loss scale: 1.0 | grad norm: {0.4 + step.loss / 20:.3f} | number of skipped iterations:   0 | number of nan iterations:   0 |",
        is_error=False,
    )


def _stamp(scene: Scene, place: int, at: float) -> str:
    local = scene.local(place, at)
    return f"{local:%Y-%m-%d %H:%M:%S},{local.microsecond // 1000:03d}"


def _deepspeed_header(scene: Scene, at: float) -> None:
    stamp = _stamp(scene, 0, at)
    for text in (
        f"[{stamp}] [INFO] [comm.py:637:init_distributed] cdb=None",
        f"[{stamp}] [INFO] [comm.py:668:init_distributed] Initializing TorchBackend in DeepSpeed with backend nccl",
        f"[{stamp}] [INFO] [logging.py:96:log_dist] [Rank 0] DeepSpeed info: version=0.14.4, git-hash=unknown, git-branch=unknown",
        f"[{stamp}] [INFO] [logging.py:96:log_dist] [Rank 0] Creating fp16 ZeRO stage 3 optimizer, MiCS is enabled False, Hierarchical params gather False",
        f"[{stamp}] [INFO] [utils.py:782:see_memory_usage] MA 3.91 GB         Max_MA 4.1 GB         CA 5.2 GB         Max_CA 5 GB",
    ):
        scene.rank(0, at, text, is_error=False)


def _deepspeed(scene: Scene, step: Step) -> None:
    stamp = _stamp(scene, 0, step.at)
    rate = scene.world.size * 2 / step.seconds
    scene.rank(
        0,
        step.at,
        f"[{stamp}] [INFO] [logging.py:96:log_dist] [Rank 0] step={step.number}, skipped=0, lr=[0.0003, 0.0003], mom=[(0.9, 0.95), (0.9, 0.95)]",
        is_error=False,
    )
    scene.rank(
        0,
        step.at,
        f"[{stamp}] [INFO] [timer.py:258:stop] epoch=0/micro_step={step.number}/global_step={step.number}, RunningAvgSamplesPerSec={rate:.6f}, CurrSamplesPerSec={rate * 1.01:.6f}, MemAllocated=18.4GB, MaxMemAllocated=61.2GB",
        is_error=False,
    )


def _titan_header(scene: Scene, at: float) -> None:
    for rank in range(0, scene.world.size, 8):
        stamp = _stamp(scene, rank // 8, at)
        for text in (
            "Starting job: Llama 3 70B training",
            f"Building 1-D device mesh with ['dp_shard'], [{scene.world.size}]",
            "\x1b[34mModel \x1b[33mllama3 70B\x1b[34m size: \x1b[36m70,553,706,496\x1b[34m total parameters\x1b[39m",
            "Applied FSDP to the model",
            "CUDA memory usage for model: 2.17GiB(2.74%)",
            f"Trainer is initialized with local batch size 1, global batch size {scene.world.size}, gradient accumulation steps 1, sequence length 8192, total steps {scene.total} (warmup 200).",
            "Training starts at step 1",
        ):
            scene.rank(rank, at, f"[titan] {stamp} - root - INFO - {text}", is_error=False)


def _titan(scene: Scene, step: Step) -> None:
    stamp = _stamp(scene, 0, step.at)
    tps = 8192 / step.seconds
    scene.rank(
        0,
        step.at,
        f"[titan] {stamp} - root - INFO - \x1b[31mstep: {step.number:2}  \x1b[32mloss: {step.loss:7.4f}  \x1b[38;2;180;60;0mgrad_norm: {step.loss / 3:7.4f}  \x1b[38;2;54;234;195mmemory: 61.20GiB(77.31%)  \x1b[34mtps: {tps:,.0f}  \x1b[36mtflops: {tps * 0.3:,.2f}  \x1b[35mmfu: 40.66%\x1b[39m",
        is_error=False,
    )


def _bar(scene: Scene, number: int, seconds: float) -> str:
    total = scene.total
    done = 10 * number / total
    cells = "█" * int(done) + (BLOCKS[int(done * 8) % 8] if done < 10 else "")
    spent = int(number * scene.world.step_seconds)
    clock = f"{spent // 3600}:{spent // 60 % 60:02d}:{spent % 60:02d}"
    return f"{number * 100 // total:3d}%|{cells:<10}| {number}/{total} [{clock}<{int((total - number) * seconds) // 3600}:{spent % 60:02d}:11, {seconds:5.2f}s/it"


def _lightning_header(scene: Scene, at: float) -> None:
    for text in (
        "GPU available: True (cuda), used: True",
        "TPU available: False, using: 0 TPU cores",
        f"Initializing distributed: GLOBAL_RANK: 0, MEMBER: 1/{scene.world.size}",
        "-" * 100,
        "distributed_backend=nccl",
        f"All distributed processes registered. Starting with {scene.world.size} processes",
        "-" * 100,
        "  | Name  | Type        | Params | Mode ",
        "0 | model | Transformer | 7.2 B  | train",
    ):
        scene.rank(0, at, text, is_error=False)
    for rank in range(0, scene.world.size, 8):
        scene.rank(
            rank,
            at,
            f"LOCAL_RANK: {rank % 8} - CUDA_VISIBLE_DEVICES: [0,1,2,3,4,5,6,7]",
            is_error=False,
        )


def _lightning(scene: Scene, step: Step) -> None:
    scene.rank(
        0,
        step.at,
        f"\rEpoch 0: {_bar(scene, step.number, step.seconds)}, v_num=0, train_loss={step.loss:.3f}]",
    )


def _hf_header(scene: Scene, at: float) -> None:
    stamp = _stamp(scene, 0, at)
    for text in (
        f"[INFO|trainer.py:2134] {stamp} >> ***** Running training *****",
        f"[INFO|trainer.py:2135] {stamp} >>   Num examples = 8,412,331",
        f"[INFO|trainer.py:2137] {stamp} >>   Instantaneous batch size per device = 2",
        f"[INFO|trainer.py:2142] {stamp} >>   Total optimization steps = {scene.total:,}",
        "huggingface/tokenizers: The current process just got forked, after parallelism has already been used. Disabling parallelism to avoid deadlocks...\nTo disable this warning, you can either:\n\t- Avoid using `tokenizers` before the fork if possible\n\t- Explicitly set the environment variable TOKENIZERS_PARALLELISM=(true | false)",
    ):
        scene.rank(0, at, text)


def _hf(scene: Scene, step: Step) -> None:
    scene.rank(0, step.at - 0.3, f"\r {_bar(scene, step.number, step.seconds)}]")
    if step.number % 5 == 0:
        said = {
            "loss": round(step.loss, 4),
            "grad_norm": round(step.loss / 3, 4),
            "learning_rate": 4.9e-05,
            "epoch": round(step.number / scene.total, 2),
        }
        scene.rank(0, step.at, f"{said}", is_error=False)


def _nemo_header(scene: Scene, at: float) -> None:
    local = scene.local(0, at)
    for text in (
        f"[NeMo I {local:%Y-%m-%d %H:%M:%S} megatron_init:269] Rank 0 has data parallel group : [0, 8, 16, 24]",
        f"[NeMo I {local:%Y-%m-%d %H:%M:%S} megatron_init:314] All tensor model parallel group ranks: [[0, 1, 2, 3, 4, 5, 6, 7]]",
        f"[NeMo W {local:%Y-%m-%d %H:%M:%S} nemo_logging:349] /usr/local/lib/python3.10/dist-packages/pytorch_lightning/trainer/setup.py:177: UserWarning: The `batch_idx` argument in the `on_train_batch_start` hook may not match.",
        f"[NeMo I {local:%Y-%m-%d %H:%M:%S} nemo_logging:393] Starting training",
    ):
        scene.rank(0, at, text, is_error=False)


def _nemo(scene: Scene, step: Step) -> None:
    scene.rank(
        0,
        step.at,
        f"Training epoch 0, iteration {step.number}/{scene.total - 1} | lr: 1.2e-05 | global_batch_size: {scene.world.size * 2} | global_step: {step.number} | reduced_train_loss: {step.loss:.3f} | train_step_timing in s: {step.seconds:.3f} | consumed_samples: {step.number * scene.world.size * 2}",
        is_error=False,
    )


_HEADERS: dict[str, Callable[[Scene, float], None]] = {
    "megatron": _megatron_header,
    "deepspeed": _deepspeed_header,
    "torchtitan": _titan_header,
    "lightning": _lightning_header,
    "hf": _hf_header,
    "nemo": _nemo_header,
}
_PROGRESS: dict[str, Callable[[Scene, Step], None]] = {
    "megatron": _megatron,
    "deepspeed": _deepspeed,
    "torchtitan": _titan,
    "lightning": _lightning,
    "hf": _hf,
    "nemo": _nemo,
}


def _kept(number: int, path: str, name: str) -> str:
    return f"Epoch 0, global step {number}: '{name}' reached 2.31412 (best 2.31412), saving model to '{path}/epoch=0-step={number}.ckpt' as top 1"


def save_started(scene: Scene, at: float, number: int, path: str) -> None:
    """Say that a checkpoint is being written."""
    stamp = _stamp(scene, 0, at)
    text = {
        "megatron": f"saving checkpoint at iteration {number:7d} to {path} in torch_dist format",
        "deepspeed": f"[{stamp}] [INFO] [logging.py:96:log_dist] [Rank 0] [Torch] Checkpoint global_step{number} is about to be saved!",
        "torchtitan": f"[titan] {stamp} - root - INFO - Saving the checkpoint (or staging if async is enabled).",
        "lightning": _kept(number, path, "train_loss"),
        "hf": f"[INFO|trainer.py:3410] {stamp} >> Saving model checkpoint to {path}/checkpoint-{number}",
        "nemo": _kept(number, path, "reduced_train_loss"),
    }[scene.world.framework]
    scene.rank(0, at, text, is_error=False)


def save_done(scene: Scene, at: float, number: int, path: str, seconds: float) -> None:
    """Say that a checkpoint is written."""
    stamp = _stamp(scene, 0, at)
    text = {
        "megatron": f"  successfully saved checkpoint from iteration {number:7d} to {path} [ t 1/8, p 1/1 ]",
        "deepspeed": f"[{stamp}] [INFO] [torch_checkpoint_engine.py:31:save] [Torch] Saved {path}/global_step{number}/mp_rank_00_model_states.pt.",
        "torchtitan": f"[titan] {stamp} - root - INFO - Finished saving the checkpoint (or staging if async is enabled)in {seconds:.2f} seconds.",
        "lightning": "",
        "hf": f"[INFO|modeling_utils.py:2590] {stamp} >> Model weights saved in {path}/checkpoint-{number}/model.safetensors",
        "nemo": f"[NeMo I {stamp[:19]} dist_ckpt_io:95] Global Checkpoint Save : Rank : 0 : Start time : {at - seconds:.3f}s : Save duration: {seconds:.3f}s",
    }[scene.world.framework]
    if text:
        scene.rank(0, at, text, is_error=False)


def finished(scene: Scene, at: float) -> None:
    """Say that training is over and all went well."""
    local, stamp = scene.local(0, at), _stamp(scene, 0, at)
    text = {
        "megatron": f"[after training is done] datetime: {local:%Y-%m-%d %H:%M:%S} ",
        "deepspeed": f"[{stamp}] [INFO] [launch.py:351:main] Process {scene.world.hosts[0].pids[0]} exits successfully.",
        "torchtitan": f"[titan] {stamp} - root - INFO - Training completed",
        "lightning": f"`Trainer.fit` stopped: `max_steps={scene.total}` reached.",
        "hf": "{'train_runtime': 41233.1042, 'train_samples_per_second': 54.21, 'train_steps_per_second': 1.7, 'train_loss': 2.3412, 'epoch': 1.0}",
        "nemo": f"`Trainer.fit` stopped: `max_steps={scene.total}` reached.",
    }[scene.world.framework]
    scene.rank(0, at, text, is_error=False)
