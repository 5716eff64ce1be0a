"""The fleet page at 504 and at 16,384 GPUs: a scrub step on the server and in a browser.

`python -m tests.bench.bench_fleet [--rounds 15] [--minutes 30] [--profile]`. Minutes of three
metrics of GPUs are stored as pulls store them; each step asks for another minute. In the browser
(where there is one) a step counts from the slider's move until the grid is drawn. The curve over
the slider is fetched beside it; its time grows with `--minutes`, up to what is kept.
"""

import argparse
import cProfile
import pstats
import shutil
import statistics
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from time import perf_counter, process_time
from typing import TYPE_CHECKING, Any, Final
from wsgiref.simple_server import WSGIRequestHandler, make_server

import numpy as np
from time_machine import travel

from tests.bench.bench_page import Request, count_rows, portal
from tests.bench.report import load

if TYPE_CHECKING:
    from tests.cast.fleet_world import FleetWorld

AT: Final = datetime(2026, 11, 21, 3, 0, tzinfo=UTC)
SIZES: Final = {"504 GPUs": 63, "16,384 GPUs": 2048}
GPUS: Final = 8
WARM_UP: Final = 3
SCRUB: Final = """async (steps) => {
  const scrub = document.querySelector('[data-scrub]');
  const slider = scrub.querySelector('input');
  const took = [];
  for (let step = 0; step < steps; step += 1) {
    delete scrub.dataset.took;
    slider.value = Number(slider.value) - 60;
    slider.dispatchEvent(new Event('input'));
    while (!scrub.dataset.took) await new Promise((done) => setTimeout(done, 1));
    took.push(Number(scrub.dataset.took));
  }
  return took;
}"""


def world_of(nodes: int, minutes: int) -> "FleetWorld":
    """Store minutes of a cluster of that many nodes; return who is there."""
    from tests.cast import fleet_world  # noqa: PLC0415  needs settings

    made = fleet_world.build(now=AT)
    hosts = tuple(f"node{number:04d}" for number in range(nodes))
    chance = np.random.default_rng(1)
    rows = 0
    for frame in fleet_world.frames(AT, hosts, gpus=GPUS):
        noise = chance.normal(0.0, 2.0, (frame.values.shape[0], 2 * minutes))
        base = frame.values[:, :1].clip(1) + np.cumsum(np.abs(noise), axis=1) / 50
        values = np.round(base, 1)
        fleet_world.keep(made.source, [_spread(frame, values)])
        rows += minutes
    print(f"fleet, {nodes} nodes: {rows} rows stored, {_bytes(made):,} bytes of values")  # noqa: T201
    return made


def _spread(frame: Any, values: Any) -> Any:
    from dataclasses import replace  # noqa: PLC0415  only here

    count = values.shape[1]
    start = AT.timestamp() - frame.step * (count - 1)
    return replace(frame, values=values, start=start)


def _bytes(world: "FleetWorld") -> int:
    from apps.telemetry.models import MetricMinute  # noqa: PLC0415  needs settings
    from apps.tenancy.scope import organization_scope  # noqa: PLC0415  the same

    with organization_scope(world.operator.pk):
        own = MetricMinute.objects.for_organization(world.operator)
        return sum(len(body) for body in own.values_list("body", flat=True))


def steps_of(world: "FleetWorld", *, layout: str) -> Iterator[Request]:
    """Yield requests for one minute after the other, as the slider asks for them."""
    from django.test import Client  # noqa: PLC0415  needs settings

    from tests.cast import make  # noqa: PLC0415  the same

    client = Client(SERVER_NAME="127.0.0.1")
    client.force_login(
        make.user(organization=world.operator),
        backend="django.contrib.auth.backends.ModelBackend",
    )
    base = f"/o/{world.operator.slug}/fleet/{world.cluster.slug}/values/"
    for step in range(10_000):
        at = AT - timedelta(minutes=step % 20)
        asked = {"metric": "gpu.temperature", "at": at.isoformat(), "layout": layout}

        def ask(asked: dict[str, str] = asked) -> None:
            answer = client.get(base, asked)
            if answer.status_code != 200:
                raise SystemExit(f"fleet: the portal answered {answer.status_code}")

        yield ask


def on_server(name: str, world: "FleetWorld", *, rounds: int, profiled: bool) -> None:
    """Print the median time of a step on the server."""
    steps = steps_of(world, layout="")
    for _ in range(WARM_UP):
        next(steps)()
    took, worked = [], []
    for _ in range(rounds):
        began, begun_work = perf_counter(), process_time()
        next(steps)()
        took.append(1000 * (perf_counter() - began))
        worked.append(1000 * (process_time() - begun_work))
    work = f"{statistics.median(worked):.0f} ms of the web process"
    print(  # noqa: T201
        f"fleet, {name}, server: median {statistics.median(took):.0f} ms, {work}, {load()}",
        flush=True,
    )
    if profiled:
        with cProfile.Profile() as profile:
            next(steps)()
        pstats.Stats(profile).sort_stats("cumulative").print_stats(40)


class _Quiet(WSGIRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  its own name
        """Say nothing."""


def curve_and_page(name: str, world: "FleetWorld", *, rounds: int) -> None:
    """Print the median time of the curve over the slider, and of the page with its panel."""
    from django.test import Client  # noqa: PLC0415  needs settings

    from tests.cast import make  # noqa: PLC0415  the same

    client = Client(SERVER_NAME="127.0.0.1")
    client.force_login(
        make.user(organization=world.operator),
        backend="django.contrib.auth.backends.ModelBackend",
    )
    base = f"/o/{world.operator.slug}/fleet/{world.cluster.slug}/"
    for what, path in (("curve", f"{base}curve/"), ("page", base)):
        took = []
        for _ in range(rounds + 1):
            began = perf_counter()
            answer = client.get(path, {"metric": "gpu.temperature"})
            took.append(1000 * (perf_counter() - began))
            if answer.status_code != 200:
                raise SystemExit(f"fleet: the portal answered {answer.status_code}")
        print(f"fleet, {name}, {what}: median {statistics.median(took[1:]):.0f} ms, {load()}")  # noqa: T201


@contextmanager
def served() -> Iterator[str]:
    """Serve the pages with their files on a free port of this machine."""
    from django.contrib.staticfiles.handlers import StaticFilesHandler  # noqa: PLC0415  settings
    from django.core.wsgi import get_wsgi_application  # noqa: PLC0415  the same

    server = make_server(
        "127.0.0.1", 0, StaticFilesHandler(get_wsgi_application()), handler_class=_Quiet
    )
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def in_browser(name: str, world: "FleetWorld", *, rounds: int) -> None:
    """Print the median time of a step in a browser, from the slider to the drawn grid."""
    from playwright.sync_api import sync_playwright  # noqa: PLC0415  where there is one

    from tests.cast import make  # noqa: PLC0415  needs settings
    from tests.e2e.conftest import FLAGS, NAMES  # noqa: PLC0415  the same
    from tests.e2e.signing_in import sign_in  # noqa: PLC0415  the same

    found = next((path for each in NAMES if (path := shutil.which(each))), None)
    if found is None:
        print(f"fleet, {name}, browser: no Chromium on this machine")  # noqa: T201
        return
    user = make.user(organization=world.operator)
    with served() as base, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=FLAGS)
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        page.set_default_timeout(60_000)
        sign_in(page, base, user)
        at = f"{AT:%Y-%m-%dT%H:%M:%SZ}"
        page.goto(f"{base}/o/{world.operator.slug}/fleet/{world.cluster.slug}/?at={at}")
        took = page.evaluate(SCRUB, rounds + 1)[1:]
        browser.close()
    print(f"fleet, {name}, browser: median {statistics.median(took):.0f} ms, {load()}", flush=True)  # noqa: T201


def main() -> None:
    """Print the times; with --profile also what costs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--minutes", type=int, default=30)
    parser.add_argument("--profile", action="store_true")
    parser.add_argument("--size", choices=sorted(SIZES))
    options = parser.parse_args()
    with portal(), travel(AT + timedelta(seconds=20)):
        for name, nodes in SIZES.items():
            if options.size in {None, name}:
                world = world_of(nodes, options.minutes)
                count_rows()
                on_server(name, world, rounds=options.rounds, profiled=options.profile)
                curve_and_page(name, world, rounds=max(3, options.rounds // 3))
                in_browser(name, world, rounds=options.rounds)


if __name__ == "__main__":
    main()
