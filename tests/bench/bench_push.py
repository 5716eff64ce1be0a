"""Samples over HTTP into the window: sender, web, worker, database on the machine's cores.

What a cluster sends (250,000 series every 30 s: 8,400 samples a second) must be less than this.
"""

import argparse
import http.client
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from threading import Event
from time import monotonic, process_time, time
from urllib.parse import urlsplit

import django
import numpy as np

TOKEN = "bench"  # noqa: S105  a name
HOSTS = 63
STEP_MS = 30_000
BODY_SAMPLES = 2000  # what Prometheus 3 sends at once; 2.x sends 500
PATH = "/api/v1/write?cluster=bench"


def keys_of(*, count: int) -> tuple[bytes, ...]:
    """Return the keys of so many series, with labels as exporters of GPUs have them."""
    from apps.telemetry.formats.columns import key_of  # noqa: PLC0415  needs settings

    per_host = count // HOSTS + 1
    return tuple(
        key_of(
            (name.encode(), value.encode())
            for name, value in {
                "__name__": f"bench_metric_{number % 400:03d}",
                "Hostname": f"gpu{number // per_host + 1:03d}",
                "UUID": f"GPU-5fd4f087-86f3-7a43-b711-{number // 400 % 8:012d}",
                "device": f"nvidia{number // 400 % 8}",
                "gpu": str(number // 400 % 8),
                "instance": f"gpu{number // per_host + 1:03d}:9400",
                "job": "dcgm",
                "modelName": "NVIDIA H100 80GB HBM3",
                "pci_bus_id": "00000000:1B:00.0",
                "shard": str(number // 3200),
            }.items()
        )
        for number in range(count)
    )


def bodies_of(*, keys: tuple[bytes, ...], rounds: int, until_ms: int) -> Iterator[bytes]:
    """Yield the bodies of scrapes of all series, one scrape after the other."""
    from apps.telemetry.formats.columns import Columns  # noqa: PLC0415  needs settings
    from apps.telemetry.formats.remote_write import write_v1  # noqa: PLC0415  needs settings

    random = np.random.default_rng(7)
    values = random.normal(60, 5, len(keys)).round(1)
    for turn in range(rounds):
        values = np.where(
            random.random(len(keys)) < 0.5,
            values,
            (values + random.normal(0, 1, len(keys))).round(1),
        )
        at = until_ms - (rounds - turn) * STEP_MS
        for first in range(0, len(keys), BODY_SAMPLES):
            part = keys[first : first + BODY_SAMPLES]
            yield write_v1(
                columns=Columns(
                    keys=part,
                    series=np.arange(len(part)),
                    at=np.full(len(part), at),
                    values=values[first : first + BODY_SAMPLES],
                )
            )


def parsed(*, bodies: list[bytes], count: int) -> str:
    """Return how fast bodies are read, apart from everything else."""
    from apps.telemetry.formats.remote_write import read_v1  # noqa: PLC0415  needs settings

    began = process_time()
    read = sum(len(read_v1(body=body).series) for body in bodies)
    seconds = process_time() - began
    assert read == count
    return f"push, parse {read / seconds:10,.0f} samples a second and core, of {len(bodies)} bodies"


def pushed(*, base_url: str, token: str, bodies: list[bytes], var: Path, count: int) -> str:
    """Push everything, wait until it is in the window, and return the speed in words."""
    import cramjam  # noqa: PLC0415  only for this

    from apps.operations.servers import private_sockets  # noqa: PLC0415
    from tests.bench.bench_ingest import _counter, processor_seconds  # noqa: PLC0415

    rest = _counter(str(private_sockets.socket_directory(var=var)))
    packed = [bytes(cramjam.snappy.compress_raw(body)) for body in bodies]
    used, began = processor_seconds(var), monotonic()
    connection = http.client.HTTPConnection(urlsplit(base_url).netloc, timeout=60)
    headers = {
        "Authorization": f"Bearer {token}",
        "Content-Type": "application/x-protobuf",
        "Content-Encoding": "snappy",
    }
    for body in packed:
        connection.request("POST", PATH, body, headers)
        answer = connection.getresponse()
        answer.read()
        if answer.status >= 300:
            raise SystemExit(f"the portal answered {answer.status}")
    sent = monotonic() - began
    while rest("pushedbody"):
        Event().wait(0.05)
    seconds, used = monotonic() - began, processor_seconds(var) - used
    size = sum(map(len, packed)) / 1e6
    return (
        f"push, remote_write {count / seconds:10,.0f} samples/s  ({count:,} samples in "
        f"{len(packed)} bodies, {size:.0f} MB; sent in {sent:.1f} s, in the window after "
        f"{seconds:.1f} s; {used:.1f} s of processor time: {count / used:,.0f} samples a core "
        f"and second)"
    )


def main() -> None:
    """Start a portal of its own, push some scrapes of many series, print samples per second."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--series", type=int, default=50_000)
    parser.add_argument("--rounds", type=int, default=8)
    wanted = parser.parse_args()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
    django.setup()
    from tests import running  # noqa: PLC0415  needs settings

    keys = keys_of(count=wanted.series)
    count = wanted.series * wanted.rounds
    bodies = list(bodies_of(keys=keys, rounds=wanted.rounds, until_ms=round(time() * 1000)))
    with tempfile.TemporaryDirectory(prefix="portal-bench-") as folder:
        var = Path(folder)
        # Detection has a measurement of its own (bench_cycle) and would share the one worker here.
        variables = running.environment(var, {"PORTAL_PULL_SECONDS": "3600"})
        with running.portal(var, variables) as process:
            said = running.read_until(process, "Faultline is up")
            if "Faultline is up" not in said:
                raise SystemExit(said)
            setup = running.manage(
                *("setup", "--cluster", "bench", "--organization", "bench", "--part", "operator"),
                *("--token", TOKEN),
                variables=variables,
            )
            token = setup.rpartition(f"token {TOKEN}: ")[2].strip()
            base_url = variables["PORTAL_BASE_URL"]
            print(  # noqa: T201
                pushed(base_url=base_url, token=token, bodies=bodies, var=var, count=count),
                flush=True,
            )
        running.wait_until_gone(var, 10)
    print(parsed(bodies=bodies, count=count), flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
