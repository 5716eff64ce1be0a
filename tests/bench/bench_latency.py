"""Newest evidence pushed → incident visible by REST with the right verdict, session by session.

`python -m tests.bench.bench_latency [--sessions 24]`. A portal of its own: tenant, operator and
platform push over HTTP with their tokens; the clock starts before the last push is sent and stops
when the tenant's list of incidents says the cause.
"""

import argparse
import json
import os
import statistics
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Event
from time import monotonic
from typing import Any

import django
import requests

from tests.bench.report import load, quantile

PATIENCE_SECONDS = 30.0
POLL_SECONDS = 0.05
PARTS = {"tenant": "tenant", "operator": "operator", "platform": "platform"}
RANKS_PER_HOST = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Push:
    """Lines that one party sends of one source."""

    party: str
    stream: str
    host: str
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """A session that dies: what is pushed, the newest evidence last, and what must be said."""

    session: str
    hosts: tuple[str, str]
    pushes: tuple[Push, ...]
    cause: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Portal:
    """A running portal and the tokens of its parties."""

    base_url: str
    tokens: Mapping[str, str]
    variables: Mapping[str, str]

    def inside(self, code: str) -> Any:
        """Run lines of Python inside the portal and return the JSON that they print last."""
        from tests import running  # noqa: PLC0415  needs settings

        return running.inside(code, variables=self.variables)

    def push(self, failure: Failure, push: Push) -> None:
        """Send lines and return once they are accepted."""
        where = {"cluster": "bench", "host": push.host, "stream": push.stream, "tz": "UTC"}
        if push.stream == "session":
            where["session"] = failure.session
        body = "".join(f"{line}\n" for line in push.lines).encode()
        self._post(push.party, "/api/v1/logs", body, where)

    def report(self, failure: Failure, *, state: str, at: datetime) -> None:
        """Tell what the scheduler says of the session."""
        event = {
            "cluster": "bench",
            "scheduler": "slurm",
            "session": failure.session,
            "attempt": 1,
            "project": "bench",
            "state": state,
            "at": at.isoformat(),
            "hosts": list(failure.hosts),
            "world_size": RANKS_PER_HOST * len(failure.hosts),
        }
        self._post("platform", "/api/v1/session-events", json.dumps(event).encode(), {})

    def says(self, failure: Failure) -> str | None:
        """Return the cause that the tenant reads for the session, if it reads any."""
        answer = requests.get(
            f"{self.base_url}/api/v1/o/tenant/incidents/", headers=self._key("tenant"), timeout=10
        )
        answer.raise_for_status()
        found: list[dict[str, Any]] = answer.json()["results"]
        own = [each for each in found if each["session"] == failure.session]
        return own[0]["cause"] if own and own[0]["verdict_status"] == "likely" else None

    def _post(self, party: str, path: str, body: bytes, where: Mapping[str, str]) -> None:
        answer = requests.post(
            self.base_url + path, params=where, data=body, headers=self._key(party), timeout=30
        )
        answer.raise_for_status()
        if answer.content and answer.json().get("rejected"):
            raise SystemExit(f"latency: {path} rejected {answer.json()['rejected'][:1]}")

    def _key(self, party: str) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.tokens[party]}"}


@contextmanager
def portal(*, also: Sequence[str] = ()) -> Iterator[Portal]:
    """Run a portal with the three parties on one cluster, and others elsewhere, for a block."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
    django.setup()
    from tests import running  # noqa: PLC0415  needs settings

    with tempfile.TemporaryDirectory(prefix="portal-bench-") as folder:
        var = Path(folder)
        variables = running.environment(var)
        del variables["PORTAL_WORKER_PROCESSES"]  # as many as any installation starts
        with running.portal(var, variables) as process:
            said = running.read_until(process, "Faultline is up")
            if "Faultline is up" not in said:
                raise SystemExit(said)
            tokens = {}
            for slug, part in PARTS.items():
                told = running.manage(
                    *("setup", "--cluster", "bench", "--organization", slug, "--part", part),
                    *("--token", slug, *(("--project", "bench") if part == "tenant" else ())),
                    variables=variables,
                )
                tokens[slug] = told.rpartition(f"token {slug}: ")[2].strip()
            for slug in also:
                told = running.manage(
                    *("setup", "--cluster", "flood", "--organization", slug),
                    *("--part", "operator", "--part", "tenant", "--token", slug),
                    variables=variables,
                )
                tokens[slug] = told.rpartition(f"token {slug}: ")[2].strip()
            yield Portal(base_url=variables["PORTAL_BASE_URL"], tokens=tokens, variables=variables)
        running.wait_until_gone(var, 10)


def failure(*, number: int, now: datetime) -> Failure:
    """Return the next session: every second one dies of its own code, the others of a GPU."""
    hosts = (f"gpu{2 * number + 1:03d}", f"gpu{2 * number + 2:03d}")
    if number % 2:
        return _exception(number=number, hosts=hosts, now=now)
    return _lost_gpu(number=number, hosts=hosts, now=now)


def _lost_gpu(*, number: int, hosts: tuple[str, str], now: datetime) -> Failure:
    at = now - timedelta(seconds=4)
    xid = (
        f"{at.isoformat(timespec='microseconds')} {hosts[0]} kernel: NVRM: Xid (PCI:0000:3b:00): "
        "79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus."
    )
    return Failure(
        session=f"bench-gpu-{number}",
        hosts=hosts,
        pushes=(
            _peers(hosts[1], lost=hosts[0], at=at + timedelta(seconds=1)),
            Push(party="operator", stream="kernel", host=hosts[0], lines=(xid,)),
        ),
        cause="gpu-off-bus",
    )


def _exception(*, number: int, hosts: tuple[str, str], now: datetime) -> Failure:
    at = now - timedelta(seconds=4)
    said = (
        _step(at - timedelta(seconds=2), 4000 + number),
        "[rank3]: Traceback (most recent call last):",
        '[rank3]:   File "/opt/bench/train/loop.py", line 212, in run_step',
        '[rank3]:     labels = batch["labels"]',
        "[rank3]: KeyError: 'labels'",
    )
    return Failure(
        session=f"bench-code-{number}",
        hosts=hosts,
        pushes=(
            _peers(hosts[1], lost=hosts[0], at=at + timedelta(seconds=1)),
            Push(party="tenant", stream="session", host=hosts[0], lines=said),
        ),
        cause="rank-exception",
    )


def _peers(host: str, *, lost: str, at: datetime) -> Push:
    lines = [_step(at - timedelta(seconds=3), 4000)]
    for local in range(RANKS_PER_HOST):
        rank = local + RANKS_PER_HOST
        lines.append(
            f"[{at:%Y-%m-%d %H:%M:%S}] {host}:{2100 + local}:{2300 + local} [{local}] "
            "misc/socket.cc:881 NCCL WARN socketProgress: Connection closed by remote peer "
            f"{lost}<{41000 + local}>"
        )
        lines.append(
            f"[rank{rank}]:[E{at:%m%d %H:%M:%S}.{at:%f}000 ProcessGroupNCCL.cpp:2068] "
            f"[PG ID 0 PG GUID 0 Rank {rank}] Process group watchdog thread terminated with "
            "exception: NCCL error: remote process exited or there was a network error"
        )
    return Push(party="tenant", stream="session", host=host, lines=tuple(lines))


def _step(at: datetime, number: int) -> str:
    return (
        f" [{at:%Y-%m-%d %H:%M:%S}] iteration {number:8d}/  500000 | consumed samples: "
        f"{number * 512:12d} | elapsed time per iteration (ms): 11240.3 | lm loss: 2.19E+00 |"
    )


def latency(
    *, running: Portal, number: int, poll_seconds: float = POLL_SECONDS
) -> tuple[float | None, str]:
    """Let one session die; return the seconds from its newest evidence to its verdict."""
    now = datetime.now(UTC)  # noqa: TID251  a door
    dying = failure(number=number, now=now)
    running.report(dying, state="running", at=now - timedelta(hours=2))
    *former, newest = dying.pushes
    for push in former:
        running.push(dying, push)
    running.report(dying, state="failed", at=now)
    # The newest evidence meets every state of the work on what came before it.
    Event().wait(number % 5 * 0.5)
    started = monotonic()
    running.push(dying, newest)
    said = None
    while said != dying.cause and monotonic() - started < PATIENCE_SECONDS:
        Event().wait(poll_seconds)
        said = running.says(dying) or said
    seconds = monotonic() - started
    return (seconds if said == dying.cause else None), f"{dying.session}: {said}"


def main() -> None:
    """Start a portal, let sessions die in it, print p50 and p90."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sessions", type=int, default=24)
    count = parser.parse_args().sessions
    with portal() as running:
        latency(running=running, number=0)  # warm
        answers = [latency(running=running, number=number) for number in range(1, count + 1)]
    times = [seconds for seconds, _ in answers if seconds is not None]
    for seconds, said in answers:
        if seconds is None:
            print(f"latency: wrong or none after {PATIENCE_SECONDS:.0f} s: {said}")  # noqa: T201
    if len(times) < len(answers):
        raise SystemExit(f"latency: {len(answers) - len(times)} of {len(answers)} came to nothing")
    print(  # noqa: T201
        f"latency: newest evidence to verdict by REST p50 {statistics.median(times):.2f} s, "
        f"p90 {quantile(times, 0.9):.2f} s, longest {max(times):.2f} s, n = {len(times)}, {load()}"
    )


if __name__ == "__main__":
    main()
