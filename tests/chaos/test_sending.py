"""A real Prometheus sends for ten minutes while everything behind the door is killed once."""

import json
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from threading import Event, Thread
from time import monotonic, time

import numpy as np
import psycopg
import pytest
import zstandard

from apps.operations.servers import private_sockets
from apps.telemetry.formats.columns import is_stale
from apps.telemetry.samples.window.blocks import unpacked
from tests.chaos.conftest import Stack
from tests.chaos.worker_names import WORKER
from tests.live.real_prometheus import Exporter, exporting, needs_prometheus
from tests.live.sending_prometheus import SENT, Sender, Values, sending

pytestmark = [pytest.mark.prometheus, needs_prometheus]
# Less for a try: SENDING_SECONDS=60.
SECONDS = int(os.environ.get("SENDING_SECONDS", "600"))
SERIES = 300
SETTLE_SECONDS = 60


@contextmanager
def changing(exporter: Exporter) -> Iterator[None]:
    """Give every series another value each half second, until the block ends."""
    ended = Event()

    def change() -> None:
        number = 0
        while not ended.wait(0.5):
            number += 1
            lines = [f'census_value{{n="{n}"}} {number * 7 + n / 3}' for n in range(SERIES)]
            exporter.text = "\n".join(["# TYPE census_value gauge", *lines, ""])

    thread = Thread(target=change)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def kept(stack: Stack, *, until_ms: int) -> Values:
    """Return every sample that the windows hold, as the server's owner sees them."""
    found: Values = {}
    where = str(private_sockets.socket_directory(var=stack.var))
    with psycopg.connect(host=where, user="postgres", dbname="portal") as server:
        metrics = {
            pk: [{**labels, "__name__": name} for labels in json.loads(zstandard.decompress(body))]
            for pk, name, body in server.execute(
                "SELECT id, name, labels FROM telemetry_pushedmetric"
            )
        }
        blocks = server.execute("SELECT metric_id, starts_at, body FROM telemetry_pushedblock")
        for metric, starts_at, body in blocks:
            run = unpacked(body, slot=round(starts_at.timestamp() * 1000))
            chosen = ~is_stale(run.values) & (run.at <= until_ms)
            for number, at, value in zip(
                *(each[chosen].tolist() for each in (run.series, run.at, run.values)), strict=True
            ):
                samples = found.setdefault(tuple(sorted(metrics[metric][number].items())), {})
                assert at not in samples, "a sample is there twice"
                samples[at] = value
    return found


def wait_until_kept(stack: Stack, *, seconds: float) -> None:
    """Return once no accepted body waits."""
    waiting = "SELECT count(*) FROM telemetry_pushedbody"
    limit = monotonic() + seconds
    while stack.ask(waiting) != [0]:
        assert monotonic() < limit, stack.ask(
            "SELECT state || ' ' || error FROM telemetry_pushedbody"
        )
        Event().wait(0.5)


def test_nothing_fails_nothing_is_dropped_and_every_sample_is_held_once(
    stack: Stack, tmp_path: Path
) -> None:
    with ExitStack() as running, exporting() as exporter, changing(exporter):
        portal = running.enter_context(stack.running())
        began = time()
        sender = running.enter_context(
            sending(
                directory=tmp_path,
                targets=[f"127.0.0.1:{exporter.server_port}"],
                url=f"{stack.variables['PORTAL_BASE_URL']}/api/v1/write?cluster=meridian",
                token=stack.token,
            )
        )
        after(sender, began, 1 / 6, lambda: kill(stack, is_child_of=WORKER))
        after(sender, began, 2 / 6, stack.empty_broker)
        after(sender, began, 3 / 6, lambda: kill(stack))
        portal.communicate(timeout=20)  # it names the worker and ends: down until it is restarted
        sender.pause.wait(5)
        running.enter_context(stack.running())
        after(sender, began, 4 / 6, stack.restart_postgres)
        after(sender, began, 5 / 6, lambda: kill(stack, is_child_of=WORKER))
        after(sender, began, 1, int)
        until = time()
        sender.wait_until_sent(until=until, seconds=SETTLE_SECONDS)
        wait_until_kept(stack, seconds=SETTLE_SECONDS)
        sent = sender.samples(until=until, seconds=SECONDS + 60)
        counters = sender.counters()
        held = kept(stack, until_ms=round(until * 1000))

    count = sum(map(len, sent.values()))
    told = {name: counters[SENT.format(f"samples_{name}_total")] for name in TOLD}
    print(f"{count} samples of {len(sent)} series in {until - began:.0f} s; {told}")  # noqa: T201  the figure is the result
    assert (told["failed"], told["dropped"]) == (0, 0)
    assert told["retried"] > 0, "nothing was in its way"
    assert set(sent) == set(held)
    for labels, samples in sent.items():
        assert list(samples) == sorted(held[labels])
        np.testing.assert_array_equal(
            list(samples.values()), [held[labels][at] for at in samples], err_msg=str(labels)
        )
    assert count > 500 * SECONDS


TOLD = ("failed", "dropped", "retried")


def after(sender: Sender, began: float, share: float, act: Callable[[], object]) -> None:
    """Act once a share of the time is over."""
    sender.pause.wait(max(0.0, began + share * SECONDS - time()))
    act()


def kill(stack: Stack, *, is_child_of: str = "") -> None:
    """Kill the worker, or a child of it."""
    os.kill(stack.process(WORKER, is_child_of=is_child_of), signal.SIGKILL)
