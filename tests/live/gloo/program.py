"""A small training program, run by torchrun: `--fault` says how it breaks, `--at` in which step.

It imports nothing of ours: it runs in whatever Python has PyTorch.
"""
# mypy: ignore-errors
# ruff: noqa: TID251, TRY301  a program of its own: it sleeps and raises as such programs do

import argparse
import ctypes
import faulthandler
import logging
import math
import os
import resource
import sys
import threading
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

if "no-module" in sys.argv:
    import flash_attn_of_nobody  # type: ignore[import-not-found]  # noqa: F401

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, Dataset

log = logging.getLogger("train")
RANK = int(os.environ.get("RANK", "0"))


class Samples(Dataset[torch.Tensor]):
    """Random rows; one of them may break its reader."""

    def __init__(self, fault: str) -> None:
        self.fault = fault

    def __len__(self) -> int:
        return 4096

    def __getitem__(self, index: int) -> torch.Tensor:
        if index == 320 and RANK == 1:
            if self.fault == "loader-killed":
                os.kill(os.getpid(), 9)
            if self.fault == "loader-raises":
                raise OSError(5, "Input/output error", "/data/train/shard-0017.bin")
        return torch.randn(16)


class Partial(torch.nn.Module):
    """A model with a branch that some ranks never take."""

    def __init__(self) -> None:
        super().__init__()
        self.used, self.spare = torch.nn.Linear(16, 16), torch.nn.Linear(16, 16)

    def forward(self, rows: torch.Tensor) -> torch.Tensor:
        return self.used(rows)


def main() -> None:
    """Train, and break as told."""
    options = _options()
    fault = (
        options.fault
        if int(os.environ.get("TORCHELASTIC_RESTART_COUNT", "0")) < options.times
        else ""
    )
    logging.basicConfig(
        level=logging.INFO,
        stream=sys.stderr,
        format="%(asctime)s %(levelname)s %(name)s: %(message)s",
    )
    if fault == "missing-file":
        Path("/data/tokenizer/tokenizer.json").read_text(encoding="utf-8")
    if fault == "bad-config":
        raise ValueError("hidden_size (4096) must be divisible by num_heads (30)")
    if fault in {"abort", "segfault-handler", "hang-dump"}:
        faulthandler.enable()
    _join(options)
    Path(options.folder, f"rank{RANK}.pid").write_text(str(os.getpid()), encoding="ascii")
    if fault == "few-files":
        resource.setrlimit(resource.RLIMIT_NOFILE, (24, 24))
    model = Partial() if fault == "unused-parameters" else torch.nn.Linear(16, 16)
    wrapped = DistributedDataParallel(model)
    log.info("rank %d of %d is ready", RANK, dist.get_world_size())
    if fault == "corrupt-checkpoint":
        broken = Path(options.folder, "step-100.pt")
        broken.write_bytes(b"PK\x03\x04 no archive")
        torch.load(broken)
    if fault == "other-shape":
        model.load_state_dict({"weight": torch.zeros(32, 16), "bias": torch.zeros(32)})
    _train(wrapped, options, fault)
    dist.barrier()
    if RANK == 0:
        log.info("training finished after %d steps", options.steps)
    dist.destroy_process_group()


def _join(options: argparse.Namespace) -> None:
    """Form the group; a restarted one by a file, as the launcher's store remembers the former."""
    timeout = timedelta(seconds=options.timeout)
    if os.environ.get("TORCHELASTIC_MAX_RESTARTS", "0") == "0":
        dist.init_process_group("gloo", timeout=timeout)
        return
    where = (
        f"file://{Path(options.folder).resolve()}/store-{os.environ['TORCHELASTIC_RESTART_COUNT']}"
    )
    world = int(os.environ["WORLD_SIZE"])
    dist.init_process_group("gloo", where, timeout=timeout, rank=RANK, world_size=world)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="train.py")
    parser.add_argument("--fault", default="")
    parser.add_argument("--at", type=int, default=20)
    parser.add_argument("--on", type=int, default=2)
    parser.add_argument("--steps", type=int, default=40)
    parser.add_argument("--pace", type=float, default=0.1)
    parser.add_argument("--timeout", type=float, default=60)
    parser.add_argument("--times", type=int, default=99, help="break in so many attempts")
    parser.add_argument("--folder", default=".")
    return parser.parse_args()


def _train(model: torch.nn.Module, options: argparse.Namespace, fault: str) -> None:
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    workers = 1 if fault.startswith("loader") else 0
    rows = iter(DataLoader(Samples(fault), batch_size=16, num_workers=workers))
    for step in range(1, options.steps + 1):
        batch = next(rows)
        if fault == "hang-dump":
            faulthandler.dump_traceback_later(8, repeat=True)
        if step == options.at and fault in FAULTS:
            FAULTS[fault](options)
        loss = model(batch).square().mean()
        if fault.startswith("nan") and step >= options.at:
            loss = loss * float("nan")
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        _tell(step, loss, options, fault)
        time.sleep(options.pace)


def _tell(step: int, loss: torch.Tensor, options: argparse.Namespace, fault: str) -> None:
    total = loss.detach().clone()
    dist.all_reduce(total)
    mean = total.item() / dist.get_world_size()
    if fault == "nan-raises" and math.isnan(mean):
        raise FloatingPointError(f"loss is nan at step {step}")
    if RANK == 0 and step % 5 == 0:
        log.info(
            "step %d/%d loss %.4f lr 1.00e-02 %.3f s/it", step, options.steps, mean, options.pace
        )
    if fault == "caught" and step % 10 == 0:
        try:
            raise ConnectionError("could not reach the experiment tracker at metrics.example:8080")
        except ConnectionError:
            log.exception("could not log metrics; going on without")
    if step % 20 == 0 and RANK == 0 and fault not in FAULTS:
        torch.save({"step": step}, Path(options.folder, f"step-{step}.pt"))
        log.info("saved checkpoint step-%d.pt", step)


def _only(action: Callable[[argparse.Namespace], None]) -> Callable[[argparse.Namespace], None]:
    def act(options: argparse.Namespace) -> None:
        if options.on == RANK:
            action(options)

    return act


def _raise(options: argparse.Namespace) -> None:
    batch = {"input_ids": torch.zeros(4)}
    batch["attention_mask"]


def _exit(code: int) -> Callable[[argparse.Namespace], None]:
    def leave(_: argparse.Namespace) -> None:
        logging.shutdown()
        os._exit(code)

    return leave


def _sleep(_: argparse.Namespace) -> None:
    time.sleep(600)


def _other_shape(_: argparse.Namespace) -> None:
    dist.all_reduce(torch.zeros(64))


def _deadlock(_: argparse.Namespace) -> None:
    lock = threading.Lock()
    lock.acquire()
    lock.acquire()


def _barrier(options: argparse.Namespace) -> None:
    if options.on == RANK:
        time.sleep(600)
    dist.monitored_barrier(timeout=timedelta(seconds=5))


def _memory(_: argparse.Namespace) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (2**33, 2**33))
    bytearray(2**35)


def _allocate(_: argparse.Namespace) -> None:
    torch.empty(2**42)


def _files(_: argparse.Namespace) -> None:
    keep = [open(os.devnull) for _ in range(64)]  # noqa: SIM115, PTH123
    assert keep


def _save_absent(_: argparse.Namespace) -> None:
    torch.save({"step": 20}, "/checkpoints/run-7/step-20.pt")


def _save_full(_: argparse.Namespace) -> None:
    torch.save({"w": torch.zeros(2**18)}, "/dev/full")


def _stale(_: argparse.Namespace) -> None:
    raise OSError(116, "Stale file handle", "/mnt/data/train/shard-0017.bin")


FAULTS: dict[str, Callable[[argparse.Namespace], None]] = {
    "raises": _only(_raise),
    "raises-everywhere": _raise,
    "exits-3": _only(_exit(3)),
    "exits-0": _only(_exit(0)),
    "abort": _only(lambda _: os.abort()),
    "abort-bare": _only(lambda _: os.abort()),
    "segfault": _only(lambda _: ctypes.string_at(0) and None),
    "segfault-handler": _only(lambda _: ctypes.string_at(0) and None),
    "hang": _only(_sleep),
    "hang-dump": _only(_deadlock),
    "monitored-barrier": _barrier,
    "other-shape-collective": _only(_other_shape),
    "memory": _only(_memory),
    "allocate": _only(_allocate),
    "few-files": _only(_files),
    "save-absent": lambda options: _save_absent(options) if RANK == 0 else None,
    "save-full": lambda options: _save_full(options) if RANK == 0 else None,
    "stale": _only(_stale),
}

if __name__ == "__main__":
    main()
