"""Series that were there and are gone: a GPU, an exporter or a whole host that fell silent."""

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime

import numpy as np

from apps.diagnosis import stats
from apps.diagnosis.model import Anomaly, Detector, Device, Frame, Layer, Role, Scene

# One missed scrape is nothing; three in a row, and at least a minute and a half, are.
MISSED_SAMPLES = 3
MISSED_SECONDS = 90.0
# With fewer than this share of an exporter's series left the source is gone, not the hosts.
SOURCE_SHARE = 0.2


def _detect(frames: Sequence[Frame], _scene: Scene) -> tuple[Anomaly, ...]:
    hosts = [_Presence(frame) for frame in frames if frame.signal.entity == "node"]
    parts = [_Presence(frame) for frame in frames if frame.signal.entity != "node"]
    found = [anomaly for part in parts for anomaly in part.silences(hosts)]
    told = {anomaly.entity.host for anomaly in found if anomaly.entity.kind == "node"}
    for presence in hosts:
        found += [each for each in presence.silences(()) if each.entity.host not in told]
    return tuple(found)


class _Presence:
    """When each entity of one frame was heard."""

    def __init__(self, frame: Frame) -> None:
        self.frame = frame
        self.heard = ~np.isnan(stats.without_blanks(frame.values))
        self.rows: Mapping[str | None, list[int]] = defaultdict(list)
        for row, entity in enumerate(frame.entities):
            self.rows[entity.host].append(row)

    def silences(self, hosts: Sequence["_Presence"]) -> Iterator[Anomaly]:
        """Yield each silence once: of a part, or of all that a host has here."""
        told: set[tuple[str | None, int]] = set()
        for row, first, end in self._gaps():
            entity = self.frame.entities[row]
            others = [each for each in self.rows[entity.host] if each != row]
            if entity.kind != "node" and self.heard[others, first:end].any():
                yield self._gone(entity, first, end)
            elif (entity.host, first) not in told:
                told.add((entity.host, first))
                yield self._host_silent(entity, first, end, hosts)

    def _gaps(self) -> Iterator[tuple[int, int, int]]:
        least = max(MISSED_SAMPLES, math.ceil(MISSED_SECONDS / self.frame.step))
        heard_before = np.cumsum(self.heard, axis=1) >= MISSED_SAMPLES
        for row, first, end in stats.runs(~self.heard & heard_before):
            reached = self.heard[:, first:end].any(axis=1).mean()
            if end - first >= least and reached >= SOURCE_SHARE:
                yield row, first, end

    def _gone(self, entity: Device, first: int, end: int) -> Anomaly:
        return self._anomaly(
            entity, first, end, layer=Layer.GPU, role=Role.INITIATING, detail="part"
        )

    def _host_silent(
        self, entity: Device, first: int, end: int, hosts: Sequence["_Presence"]
    ) -> Anomaly:
        node = Device(kind="node", host=entity.host)
        answers = [each.answered(entity.host, self._at(first), self._at(end)) for each in hosts]
        if any(answer is True for answer in answers):
            return self._anomaly(
                node, first, end, layer=Layer.HOST, role=Role.CONTEXT, detail="exporter"
            )
        is_sure = entity.kind == "node" or any(answer is False for answer in answers)
        role = Role.INITIATING if is_sure else Role.CONFIRMATION
        return self._anomaly(node, first, end, layer=Layer.HOST, role=role, detail="node")

    def answered(self, host: str | None, starts_at: float, ends_at: float) -> bool | None:
        """Say whether the host was heard in a span; None when it never is here."""
        rows = self.rows.get(host)
        if not rows:
            return None
        inside = (self.frame.at >= starts_at) & (self.frame.at < ends_at)
        return bool(self.heard[rows][:, inside].any())

    def _at(self, column: int) -> float:
        return self.frame.start + column * self.frame.step

    def _anomaly(
        self, entity: Device, first: int, end: int, *, layer: Layer, role: Role, detail: str
    ) -> Anomaly:
        causes = {"part": ("gpu-off-bus",), "node": ("node-unreachable",), "exporter": ()}
        came_back = end < self.heard.shape[1]
        return Anomaly(
            kind="silence",
            signal=self.frame.signal.name,
            family="presence",
            layer=layer,
            entity=entity,
            starts_at=datetime.fromtimestamp(self._at(first), UTC),
            ends_at=datetime.fromtimestamp(self._at(end), UTC) if came_back else None,
            score=1.0 if role is Role.INITIATING else 0.5,
            role=role,
            causes=causes[detail],
            resolution_seconds=self.frame.step,
            detail=detail,
        )


SILENCE = Detector(
    name="silence",
    meaning="a part, exporter or host that was heard is heard no more",
    detect=_detect,
)
