"""Tracebacks of a rank: CUDA's errors in each framework, exceptions of the program's own."""

from collections.abc import Sequence

from tests.score.second.draft import SessionDraft
from tests.score.second.lines.torch import raised

# cudaGetErrorString and the driver's name of the error.
CUDA = {
    "ecc": ("uncorrectable ECC error encountered", "CUDA_ERROR_ECC_UNCORRECTABLE"),
    "nvlink": (
        "uncorrectable NVLink error detected during the execution",
        "CUDA_ERROR_NVLINK_UNCORRECTABLE",
    ),
    "address": ("an illegal memory access was encountered", "CUDA_ERROR_ILLEGAL_ADDRESS"),
    "launch": ("unspecified launch failure", "CUDA_ERROR_LAUNCH_FAILED"),
    "unknown": ("unknown error", "CUDA_ERROR_UNKNOWN"),
    "assert": ("device-side assert triggered", "CUDA_ERROR_ASSERT"),
}
FILES = (
    ("/workspace/train.py", 412, "main", "trainer.fit()"),
    ("/workspace/engine/loop.py", 233, "fit", "loss = self.step(batch)"),
    ("/workspace/engine/step.py", 88, "step", "loss.backward()"),
)


def traceback(draft: SessionDraft, rank: int, last: Sequence[str]) -> list[str]:
    """Return a Python traceback with the program's own frames, as the framework prefixes it."""
    lines = ["Traceback (most recent call last):"]
    for file, line, name, text in FILES:
        lines += [f'  File "{file}", line {line + draft.rig.job % 7}, in {name}', f"    {text}"]
    lines += last
    is_prefixed = draft.rig.is_torch and draft.rig.framework not in {"ray", "deepspeed"}
    return raised(rank, *lines) if is_prefixed else lines


def cuda(draft: SessionDraft, rank: int, name: str) -> list[str]:
    """Return a traceback that ends in an error of CUDA."""
    text, code = CUDA[name]
    if draft.rig.framework == "jax":
        return traceback(
            draft,
            rank,
            [
                (
                    f"jaxlib.xla_extension.XlaRuntimeError: INTERNAL: Failed to synchronize GPU for "  # noqa: E501
                    f"autotuning: {code}: {text}"
                )
            ],
        )
    kind = "torch.AcceleratorError" if draft.rig.torch >= "2.8" else "RuntimeError"
    return traceback(
        draft,
        rank,
        [
            f"{kind}: CUDA error: {text}",
            (
                "CUDA kernel errors might be asynchronously reported at some other API call, so the "  # noqa: E501
                "stacktrace below might be incorrect."
            ),
            "For debugging consider passing CUDA_LAUNCH_BLOCKING=1",
            "Compile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.",
            "",
        ],
    )


def out_of_memory(draft: SessionDraft, rank: int) -> list[str]:
    """Return the allocator's account of GPU memory that is used up."""
    rng, local = draft.rng, rank % draft.rig.per_host
    want, free = rng.uniform(0.5, 9), rng.uniform(0.1, 0.4)
    if draft.rig.framework == "jax":
        return traceback(
            draft,
            rank,
            [
                (
                    "jaxlib.xla_extension.XlaRuntimeError: RESOURCE_EXHAUSTED: Out of memory while "
                    f"trying to allocate {int(want * 2**30)} bytes."
                )
            ],
        )
    return traceback(
        draft,
        rank,
        [
            (
                f"torch.OutOfMemoryError: CUDA out of memory. Tried to allocate {want:.2f} GiB. GPU "  # noqa: E501
                f"{local} has a total capacity of 79.11 GiB of which {free:.2f} GiB is free. Process "  # noqa: E501
                f"{draft.rig.pid_of(rank)} has {79.11 - free:.2f} GiB memory in use. Of the allocated "  # noqa: E501
                f"memory {rng.uniform(60, 74):.2f} GiB is allocated by PyTorch, and "
                f"{rng.uniform(0.4, 3):.2f} GiB is reserved by PyTorch but unallocated. If reserved "  # noqa: E501
                "but unallocated memory is large try setting "
                "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid fragmentation.  See "
                "documentation for Memory Management  "
                "(https://pytorch.org/docs/stable/notes/cuda.html#environment-variables)"
            ),
        ],
    )
