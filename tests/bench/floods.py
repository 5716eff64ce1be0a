"""What one organization floods each receiver with: bodies of some 32 KB, each unlike the others.

Prepared before the clock runs, so that the flood costs the machine the portal's work and little
else. `python -m tests.bench.floods` is the process that sends them.
"""

import argparse
import http.client
import json
import os
import signal
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from threading import Event
from time import monotonic, process_time
from typing import Any, Final
from urllib.parse import urlencode, urlsplit

BODIES: Final = 64
THREADS: Final = 240  # who is told to wait keeps its connection a second
ELSEWHERE: Final = ("127.0.0.2", 0)  # organizations don't share an address
BEGAN: Final = datetime(2026, 1, 1, tzinfo=UTC)
JSON: Final = "application/json"
FORGED: Final = "f" * 32  # whoever floods sends the cookie, too


@dataclass(frozen=True, slots=True, kw_only=True)
class Flood:
    """Bodies of one kind and where they go."""

    path: str
    kind: str  # Content-Type
    bodies: Sequence[bytes]


def logs(now: datetime) -> Flood:
    """Return lines of a kernel, of ever other hosts."""
    return _flood("/api/v1/logs?cluster=flood&host=h&stream=kernel", "text/plain", _lines, now)


def loki(now: datetime) -> Flood:
    """Return many streams of a line each."""
    return _json_flood("/loki/api/v1/push", _streams, now)


def otlp_logs(now: datetime) -> Flood:
    """Return records, each of a resource of its own."""
    return _json_flood("/v1/logs", _resources, now)


def otlp_metrics(now: datetime) -> Flood:
    """Return gauges, each of a name of its own."""
    return _json_flood("/v1/metrics", _gauges, now)


def alertmanager(now: datetime) -> Flood:
    """Return notifications with an alert of ever another host."""
    return _json_flood("/api/v1/alertmanager", _alerts, now)


def inventory(now: datetime) -> Flood:
    """Return one board on ever other hosts at ever other times: the dearest thing to seat."""
    return _json_flood("/api/v1/inventory", _boards, now)


def session_events(now: datetime) -> Flood:
    """Return ends of ever other sessions."""
    return _json_flood("/api/v1/session-events", _ends, now)


def remote_write(now: datetime) -> Flood:
    """Return scrapes of ever other series."""
    import cramjam  # noqa: PLC0415  only for this

    from tests.bench.bench_push import bodies_of, keys_of  # noqa: PLC0415  numpy, for this alone

    until = round(now.timestamp() * 1000)
    made = bodies_of(keys=keys_of(count=400 * BODIES), rounds=1, until_ms=until)
    packed = [bytes(cramjam.snappy.compress_raw(body)) for body in made]
    return Flood(path="/api/v1/write?cluster=flood", kind="application/x-protobuf", bodies=packed)


def sign_in(now: datetime) -> Flood:
    """Return names and passwords that nobody has."""
    bodies = [
        urlencode(
            {
                "username": f"nobody-{number}-{now:%H%M%S}",
                "password": "x" * 12,
                "csrfmiddlewaretoken": FORGED,
            }
        ).encode()
        for number in range(BODIES)
    ]
    return Flood(path="/sign-in/", kind="application/x-www-form-urlencoded", bodies=bodies)


FLOODS: Final[Mapping[str, Callable[[datetime], Flood]]] = {
    "logs": logs,
    "loki": loki,
    "otlp-logs": otlp_logs,
    "otlp-metrics": otlp_metrics,
    "remote_write": remote_write,
    "alertmanager": alertmanager,
    "inventory": inventory,
    "session-events": session_events,
    "sign-in": sign_in,
}


def _flood(path: str, kind: str, body: Callable[[int, datetime], bytes], now: datetime) -> Flood:
    return Flood(path=path, kind=kind, bodies=[body(number, now) for number in range(BODIES)])


def _json_flood(path: str, said: Callable[[int, datetime], Any], now: datetime) -> Flood:
    return _flood(path, JSON, lambda number, at: json.dumps(said(number, at)).encode(), now)


def _lines(number: int, now: datetime) -> bytes:
    line = "NVRM: Xid (PCI:0000:3b:00): 79, pid=1, GPU has fallen off the bus."
    lines = [
        f"{(now - timedelta(seconds=each)).isoformat()} gpu{number:03d} kernel: {line}"
        for each in range(300)
    ]
    return "\n".join(lines).encode()


def _streams(number: int, now: datetime) -> dict[str, Any]:
    at = str(round(now.timestamp() * 1e9))
    labels = ({"host": f"h{number}-{each}", "stream": "kernel"} for each in range(300))
    return {"streams": [{"stream": each, "values": [[at, "Oops"]]} for each in labels]}


def _resources(number: int, now: datetime) -> dict[str, Any]:
    at = str(round(now.timestamp() * 1e9))
    record = {"timeUnixNano": at, "body": {"stringValue": "Oops"}}
    return {
        "resourceLogs": [
            {
                "resource": {"attributes": [_text("host.name", f"h{number}-{each}")]},
                "scopeLogs": [{"logRecords": [record]}],
            }
            for each in range(180)
        ]
    }


def _gauges(number: int, now: datetime) -> dict[str, Any]:
    point = {"timeUnixNano": str(round(now.timestamp() * 1e9)), "asDouble": 1.5}
    gauges = [
        {"name": f"flood_{number}_{each}", "gauge": {"dataPoints": [point]}} for each in range(250)
    ]
    resource = {"attributes": [_text("host.name", f"h{number}")]}
    return {"resourceMetrics": [{"resource": resource, "scopeMetrics": [{"metrics": gauges}]}]}


def _text(key: str, value: str) -> dict[str, Any]:
    return {"key": key, "value": {"stringValue": value}}


def _alerts(number: int, now: datetime) -> dict[str, Any]:
    at = now.isoformat()
    return {
        "version": "4",
        "alerts": [
            {
                "status": "firing",
                "labels": {"alertname": "Flood", "instance": f"h{number}-{each}:9400"},
                "startsAt": at,
                "fingerprint": f"{number}-{each}",
            }
            for each in range(200)
        ],
    }


def _boards(number: int, now: datetime) -> dict[str, Any]:
    def device(each: int) -> dict[str, Any]:
        at = (now - timedelta(hours=2 * each + 2 * number)).isoformat()
        return {"kind": "gpu", "index": 0, "uuid": "GPU-0", "seen_from": at, "seen_until": at}

    return {"nodes": [{"name": f"h{number}-{n}", "devices": [device(n)]} for n in range(200)]}


def _ends(number: int, now: datetime) -> dict[str, Any]:
    at = now.isoformat()
    return {
        "events": [
            {"session": f"s{number}-{n}-{at}", "state": "failed", "at": at, "hosts": [f"h{n}"]}
            for n in range(200)
        ]
    }


class Sender:
    """Sends a flood at a rate, whatever is answered, and counts the answers."""

    def __init__(self, *, base_url: str, token: str, flood: Flood, rate: float) -> None:
        self.netloc, self.flood, self.rate = urlsplit(base_url).netloc, flood, rate
        self.answers: Counter[str] = Counter()
        self.is_over = Event()
        self.headers = {"Content-Type": flood.kind, "Authorization": f"Bearer {token}"}
        if flood.path == "/sign-in/":
            self.headers["Cookie"] = f"csrftoken={FORGED}"
        if flood.path.startswith("/api/v1/write"):
            self.headers["Content-Encoding"] = "snappy"

    def send(self, seconds: float) -> None:
        """Send for so long."""
        ends_at = monotonic() + seconds
        with ThreadPoolExecutor(THREADS) as pool:
            for number in range(THREADS):
                pool.submit(self._loop, number, ends_at)

    def _loop(self, number: int, ends_at: float) -> None:
        connection = http.client.HTTPConnection(self.netloc, timeout=20, source_address=ELSEWHERE)
        due = monotonic() + number / self.rate
        while (now := monotonic()) < ends_at and not self.is_over.wait(max(0.0, due - now)):
            due += THREADS / self.rate
            body = self.flood.bodies[number % len(self.flood.bodies)]
            number += THREADS + 1
            try:
                connection.request("POST", self.flood.path, body, self.headers)
                answer = connection.getresponse()
                answer.read()
                self.answers[str(answer.status)] += 1
            except (OSError, http.client.HTTPException) as error:
                self.answers[type(error).__name__] += 1
                connection.close()


def main() -> None:
    """Flood one receiver and print, as JSON, what was answered and what it cost to send."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("receiver", choices=FLOODS)
    parser.add_argument("--url", required=True)
    parser.add_argument("--rate", type=float, required=True)
    parser.add_argument("--seconds", type=float, required=True)
    wanted = parser.parse_args()
    os.nice(10)
    token = sys.stdin.readline().strip()
    flood = FLOODS[wanted.receiver](datetime.now(UTC))  # noqa: TID251  a door
    sender = Sender(base_url=wanted.url, token=token, flood=flood, rate=wanted.rate)
    signal.signal(signal.SIGTERM, lambda *_: sender.is_over.set())
    print("ready", flush=True)  # noqa: T201
    began = process_time()
    sender.send(wanted.seconds)
    spent = process_time() - began
    print(json.dumps({"answers": sender.answers, "seconds": round(spent, 1)}))  # noqa: T201


if __name__ == "__main__":
    main()
