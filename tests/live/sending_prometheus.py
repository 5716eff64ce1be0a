"""A real Prometheus that sends what it scrapes, and what it says of its own sending."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from time import monotonic

import numpy as np
import requests

from apps.diagnosis.detection.metrics.frames import Grid, Samples
from tests.live.real_prometheus import BINARY
from tests.live.serving import free_port, served

CONFIG = """
global: {{scrape_interval: {interval}, scrape_timeout: {interval}, external_labels: {{party: aurora}}}}
scrape_configs:
- job_name: exporter
  static_configs: [{{targets: [{targets}]}}]
- job_name: prometheus
  static_configs: [{{targets: ['{own}']}}]
remote_write:
- url: {url}
  authorization: {{credentials: {token}}}
  queue_config: {{batch_send_deadline: 500ms, max_samples_per_send: 2000, retry_on_http_429: true,
                  min_backoff: 100ms, max_backoff: 1s}}
  metadata_config: {{send_interval: 2s}}
"""  # noqa: E501  flow style
Values = dict[tuple[tuple[str, str], ...], dict[int, float]]
SENT = "prometheus_remote_storage_{}"


@dataclass(frozen=True, kw_only=True)
class Sender:
    """A running server and where it answers."""

    url: str
    pause: Event

    def samples(self, *, until: float, seconds: float) -> Values:
        """Return every sample it holds of a span: sorted labels → milliseconds → value."""
        answer = requests.post(
            f"{self.url}/api/v1/query",
            data={"query": f'{{__name__=~".+"}}[{round(seconds)}s]', "time": f"{until:.3f}"},
            timeout=60,
        ).json()
        assert answer["status"] == "success", answer
        return {
            tuple(sorted({**each["metric"], "party": "aurora"}.items())): {
                round(at * 1000): float(value) for at, value in each["values"]
            }
            for each in answer["data"]["result"]
        }

    def answer(self, *, query: str, grid: Grid) -> list[Samples]:
        """Return a range answer."""
        form = {"query": query, "start": grid.start, "end": grid.end, "step": grid.step}
        answer = requests.post(f"{self.url}/api/v1/query_range", data=form, timeout=10).json()
        return [
            Samples(
                labels=each["metric"],
                at=np.array([at for at, _ in each["values"]], np.float64),
                values=np.array([float(value) for _, value in each["values"]], np.float64),
            )
            for each in answer["data"]["result"]
        ]

    def counters(self) -> Mapping[str, float]:
        """Return what it says of its remote storage, by metric, all queues and reasons added."""
        found: dict[str, float] = {}
        for line in requests.get(f"{self.url}/metrics", timeout=10).text.splitlines():
            name, _, value = line.rpartition(" ")
            bare = name.partition("{")[0]
            if bare.startswith("prometheus_remote_storage_"):
                found[bare] = found.get(bare, 0.0) + float(value)
        return found

    def wait_until_sent(self, *, until: float, seconds: float) -> None:
        """Return once everything scraped before an instant was sent."""
        name = SENT.format("queue_highest_sent_timestamp_seconds")
        limit = monotonic() + seconds
        while self.counters().get(name, 0.0) < until + 1:
            assert monotonic() < limit, self.counters()
            self.pause.wait(0.3)


@contextmanager
def sending(
    *,
    directory: Path,
    targets: list[str],
    url: str,
    token: str,
    interval: str = "1s",
) -> Iterator[Sender]:
    """Run a server that scrapes targets and itself, and sends all of it to a URL."""
    assert BINARY
    own = f"127.0.0.1:{free_port()}"
    config = directory / "sending.yml"
    config.write_text(
        CONFIG.format(
            interval=interval,
            targets=", ".join(f"'{each}'" for each in targets),
            own=own,
            url=url,
            token=token,
        )
    )
    command = [
        BINARY,
        f"--config.file={config}",
        f"--storage.tsdb.path={directory / 'sending'}",
        f"--web.listen-address={own}",
    ]
    # It sends what it still holds before it ends, which may take a minute.
    log, ready = directory / "sending.log", f"http://{own}/-/ready"
    with served(command=command, log=log, ready=ready, end_seconds=70):
        yield Sender(url=f"http://{own}", pause=Event())
