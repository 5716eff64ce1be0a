"""One replica of a small job that recovers in place; told what it does to the portal.

    python program.py FOLDER RANK STEPS [URL TOKEN]

Each step sums the gradients of 24 microbatches over all replicas, bucket by bucket. What a
microbatch holds depends on the step and its number alone: whoever does it, the step is the same.
When an all-reduce fails, who is left meets in a folder, makes a new process group, takes over the
microbatches of who is gone, reduces the broken bucket again and commits the step. It needs PyTorch
and nothing of the portal.
"""
# mypy: ignore-errors

import gc
import json
import logging
import os
import sys
import time
import urllib.request
from datetime import timedelta
from pathlib import Path
from threading import Event
from typing import Any

import torch
import torch.distributed as dist

REPLICAS, EACH = 4, 6
BUCKETS = ("weight", "bias")
STEP_SECONDS, MEETING_SECONDS = 0.25, 30.0
SESSION = "gloo-recovers"
PAUSE = Event()
logger = logging.getLogger("train")


class Portal:
    """Posts events; keeps them in a file as well."""

    def __init__(self, folder: Path, rank: int, url: str, token: str) -> None:
        self._file = folder / f"events-{rank}.jsonl"
        self._url, self._token, self._rank, self._count = url, token, rank, 0

    def tell(self, event: str, **said: Any) -> None:
        """Tell of something that happens now."""
        self._count += 1
        told = {"event": event, "at": time.time(), "id": f"{self._rank}-{self._count}", **said}
        with self._file.open("a") as file:
            file.write(json.dumps(told) + "\n")
        if self._url:
            self._post(told)

    def _post(self, told: dict[str, Any]) -> None:
        body = json.dumps({"session": SESSION, "attempt": 1, "events": [told]}).encode()
        headers = {"Authorization": f"Bearer {self._token}", "Content-Type": "application/json"}
        request = urllib.request.Request(self._url, body, headers)  # noqa: S310  the test's own
        with urllib.request.urlopen(request, timeout=30) as answer:  # noqa: S310
            answer.read()


class Group:
    """Who takes part, from epoch to epoch."""

    def __init__(self, folder: Path, rank: int) -> None:
        self._folder, self._rank = folder, rank
        self.epoch, self.members = 0, list(range(REPLICAS))
        self._join()

    def _join(self) -> None:
        store = dist.FileStore(str(self._folder / f"store-{self.epoch}"), len(self.members))
        dist.init_process_group(
            "gloo",
            store=store,
            rank=self.members.index(self._rank),
            world_size=len(self.members),
            timeout=timedelta(seconds=10),
        )

    @property
    def leads(self) -> bool:
        """Whether this one speaks for all."""
        return self.members[0] == self._rank

    def repair(self) -> list[int]:
        """Meet who is left in a group of its own; return who is gone."""
        dist.destroy_process_group()
        gc.collect()  # closes its connections: who waits for this one learns of it
        self.epoch += 1
        here = self._folder / f"epoch-{self.epoch}"
        here.mkdir(exist_ok=True)
        (here / str(self._rank)).touch()
        before, until = self.members, time.monotonic() + MEETING_SECONDS
        while time.monotonic() < until and not self._are_here(here):
            PAUSE.wait(0.05)
        self.members = [each for each in before if (here / str(each)).exists()]
        self._join()
        return [each for each in before if each not in self.members]

    def _are_here(self, here: Path) -> bool:
        """Say whether all who live have come."""
        return all((here / str(each)).exists() for each in self.members if self._lives(each))

    def _lives(self, rank: int) -> bool:
        pid = (self._folder / f"rank{rank}.pid").read_text()
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except FileNotFoundError:
            return False
        return state != "Z"


def quotas(members: list[int]) -> dict[int, list[int]]:
    """Return which microbatches each member does; all of them are done."""
    return {
        member: list(range(place, REPLICAS * EACH, len(members)))
        for place, member in enumerate(members)
    }


def handed_over(
    parts: dict[int, list[int]], lost: list[int], members: list[int]
) -> dict[int, list[int]]:
    """Give the microbatches of who is gone to who is left; return who got which."""
    orphans = [number for each in lost for number in parts.pop(each)]
    given = {each: orphans[place :: len(members)] for place, each in enumerate(members)}
    for each, some in given.items():
        parts[each] = [*parts[each], *some]
    return given


def gradient(model: torch.nn.Linear, step: int, number: int) -> tuple[list[torch.Tensor], float]:
    """Return the gradient of one microbatch, bucket by bucket, and its loss."""
    random = torch.Generator().manual_seed(step * 1000 + number)
    data = torch.randn(32, 16, generator=random)
    wanted = data.sum(dim=1, keepdim=True) + 0.1 * torch.randn(32, 1, generator=random)
    loss = torch.nn.functional.mse_loss(model(data), wanted)
    grads = torch.autograd.grad(loss, [getattr(model, name) for name in BUCKETS])
    return list(grads), float(loss.detach())


def work(model: torch.nn.Linear, step: int, numbers: list[int]) -> tuple[list[torch.Tensor], float]:
    """Return the sum over some microbatches."""
    done = [gradient(model, step, number) for number in numbers]
    sums = [torch.stack([grads[at] for grads, _ in done]).sum(dim=0) for at in range(len(BUCKETS))]
    return sums, sum(loss for _, loss in done)


def step_of(model: torch.nn.Linear, step: int, group: Group, rank: int, portal: Portal) -> float:
    """Take one step with whoever is left; return its loss."""
    parts = quotas(group.members)
    sums, loss = work(model, step, parts[rank])
    while isinstance(done := reduced(sums, loss, step), int):
        began, before = time.time(), len(group.members)
        lost = group.repair()
        extra = handed_over(parts, lost, group.members)[rank]
        if extra:
            more, more_loss = work(model, step, extra)
            sums = [one + other for one, other in zip(sums, more, strict=True)]
            loss += more_loss
        tell_repair(portal, group, lost, before=before, began=began, step=step, bucket=done)
    grads, total = done
    with torch.no_grad():
        for name, grad in zip(BUCKETS, grads, strict=True):
            getattr(model, name).sub_(0.02 * grad / (REPLICAS * EACH))
    return total / (REPLICAS * EACH)


def reduced(
    sums: list[torch.Tensor], loss: float, step: int
) -> tuple[list[torch.Tensor], float] | int:
    """Return the sums of all members, or which bucket broke. The own sums stay as they are."""
    buckets = [*(each.clone() for each in sums), torch.tensor([loss])]
    for number, bucket in enumerate(buckets):
        try:
            dist.all_reduce(bucket)
        except RuntimeError as error:
            logger.error(  # noqa: TRY400  its last line says it all
                "all_reduce of bucket %d failed in step %d: %s", number, step, error
            )
            return number
    return buckets[:-1], float(buckets[-1])


def tell_repair(
    portal: Portal,
    group: Group,
    lost: list[int],
    *,
    before: int,
    began: float,
    step: int,
    bucket: int,
) -> None:
    """Tell what was lost and how it was repaired; one of them does."""
    logger.warning("goes on with replicas %s, epoch %d", group.members, group.epoch)
    if not group.leads:
        return
    for each in lost:
        portal.tell(
            "replica_lost", replica=f"replica-{each}", step=step, phase="gradient-sync", gpus=1
        )
    portal.tell(
        "communicator_repaired",
        epoch=group.epoch,
        members_before=before,
        members_after=len(group.members),
        ms=round((time.time() - began) * 1000, 1),
    )
    portal.tell("bucket_rollback", step=step, bucket=bucket)
    told = {f"replica-{member}": len(some) for member, some in quotas(group.members).items()}
    portal.tell("quota_reassigned", step=step, microbatches=told)


def main() -> None:
    """Train for so many steps."""
    folder, rank, steps = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    url, token = (sys.argv[4], sys.argv[5]) if len(sys.argv) > 5 else ("", "")
    logging.basicConfig(
        filename=folder / f"rank{rank}.log",
        level=logging.INFO,
        format="%(asctime)s.%(msecs)03d %(levelname)s %(name)s: %(message)s",
        datefmt="%Y-%m-%dT%H:%M:%S",
    )
    logging.Formatter.converter = time.gmtime
    torch.set_num_threads(1)
    torch.manual_seed(7)
    model = torch.nn.Linear(16, 1)
    (folder / f"rank{rank}.pid").write_text(str(os.getpid()))
    portal, group = Portal(folder, rank, url, token), Group(folder, rank)
    if group.leads:
        portal.tell("job_began", replicas=REPLICAS, gpus=REPLICAS, microbatches=EACH)
    for step in range(1, steps + 1):
        loss = step_of(model, step, group, rank, portal)
        logger.info("step: %d loss: %.5f", step, loss)
        if group.leads:
            portal.tell(
                "step_committed",
                step=step,
                microbatches=sum(map(len, quotas(group.members).values())),
                survivors=len(group.members),
                tokens=REPLICAS * EACH * 32,
                loss=round(loss, 6),
            )
        (folder / f"rank{rank}.step").write_text(str(step))
        PAUSE.wait(STEP_SECONDS)
    dist.destroy_process_group()


main()
