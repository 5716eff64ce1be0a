"""HTTP pushes of the parties: patient with a busy portal, within a megabyte a body."""

import gzip
import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import orjson
import requests

from apps.simulator.world.machines.cluster import SimulatedCluster
from apps.simulator.world.story import PrintedLine
from apps.simulator.world.streams import Key, envelope_ns, key_of, texts_of

logger = logging.getLogger(__name__)

BODY_BYTES = 900_000
_LINE_OVERHEAD_BYTES = 34  # brackets, quotes, stamp
_ATTEMPTS = 60
_TIMEOUT_SECONDS = 30.0
_PATIENCE_SECONDS = 30.0


class PortalAway(Exception):
    """The portal did not take a body after many tries."""


@dataclass(slots=True, kw_only=True)
class Sender:
    """Post as any of the parties."""

    base_url: str
    tokens: dict[str, str] = field(repr=False)
    wait: Callable[[float], None]  # seconds; returns early when the program is to end
    session: requests.Session = field(default_factory=requests.Session)
    batch_count: int = 0
    line_count: int = 0
    refused_count: int = 0

    def push_lines(
        self, *, party: str, cluster: SimulatedCluster, lines: list[PrintedLine]
    ) -> None:
        """Push lines in order; now and then compressed, now and then a body twice."""
        for body, count in bodies(cluster=cluster, lines=lines):
            self.batch_count += 1
            is_compressed = self.batch_count % 3 == 0
            repeats = 2 if self.batch_count % 11 == 0 else 1
            for _ in range(repeats):
                self._post(
                    party,
                    "/loki/api/v1/push",
                    gzip.compress(body, compresslevel=1) if is_compressed else body,
                    {"Content-Encoding": "gzip"} if is_compressed else {},
                )
            self.line_count += count

    def post_document(self, *, party: str, path: str, document: object) -> None:
        """Post one JSON document."""
        self._post(party, path, orjson.dumps(document, option=orjson.OPT_NON_STR_KEYS), {})

    def post_bytes(self, *, party: str, path: str, body: bytes) -> None:
        """Post a file, compressed."""
        headers = {"Content-Type": "application/octet-stream"}
        self._post(party, path, gzip.compress(body, compresslevel=1), headers)

    def _post(self, party: str, path: str, body: bytes, headers: dict[str, str]) -> None:
        headers = {
            "Authorization": f"Bearer {self.tokens[party]}",
            "Content-Type": "application/json",
        } | headers
        for attempt in range(_ATTEMPTS):
            try:
                answer = self.session.post(
                    self.base_url + path, data=body, headers=headers, timeout=_TIMEOUT_SECONDS
                )
            except requests.RequestException as error:
                logger.warning(
                    "simulator.push_failed", extra={"path": path, "kind": type(error).__name__}
                )
                self.wait(min(1.0 + attempt, _PATIENCE_SECONDS))
                continue
            if answer.status_code in {429, 502, 503, 504}:
                self.wait(_pause(answer.headers.get("Retry-After"), attempt))
                continue
            if answer.status_code >= 400:
                self.refused_count += 1
                logger.error(
                    "simulator.push_refused",
                    extra={"path": path, "party": party, "status": answer.status_code},
                )
            return
        raise PortalAway(f"{self.base_url}{path} took nothing after {_ATTEMPTS} tries")


def _pause(retry_after: str | None, attempt: int) -> float:
    try:
        return min(float(retry_after or 0.5 * (attempt + 1)), _PATIENCE_SECONDS)
    except ValueError:
        return 1.0


def bodies(*, cluster: SimulatedCluster, lines: list[PrintedLine]) -> Iterator[tuple[bytes, int]]:
    """Yield Loki push bodies below the size limit, and how many lines each carries."""
    streams: dict[Key, list[tuple[str, str]]] = {}
    size = count = 0
    for line in lines:
        rows = streams.setdefault(key_of(cluster=cluster, line=line), [])
        size += 300 * (not rows)
        for position, text in enumerate(texts_of(line)):
            at = envelope_ns(cluster=cluster, line=line, position=position)
            rows.append((str(at), text))
            size += len(text) + _LINE_OVERHEAD_BYTES + text.count("\x1b") * 5 + text.count('"')
            count += 1
        if size >= BODY_BYTES:
            yield (_body(streams), count)
            streams, size, count = {}, 0, 0
    if count:
        yield (_body(streams), count)


def _body(streams: dict[Key, list[tuple[str, str]]]) -> bytes:
    return orjson.dumps(
        {"streams": [{"stream": key.labels, "values": rows} for key, rows in streams.items()]}
    )
