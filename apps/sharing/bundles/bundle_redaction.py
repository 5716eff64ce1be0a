"""What a holder gives → what its recipients get, and beside each piece what stood there before."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from apps.sharing.bundles.bundle_contents import (
    BundleSection,
    LineBlock,
    OwnContents,
    OwnEvidence,
    OwnSession,
    WithheldReason,
)
from apps.sharing.bundles.bundle_texts import (
    Json,
    device_name,
    device_parts,
    series_table,
    session_text,
    statement_text,
    time_text,
)
from apps.sharing.redaction.draft import RedactedSpan
from apps.sharing.redaction.known_names import KnownNames
from apps.sharing.redactor import NameRedactor
from apps.sharing.terms import Level
from apps.telemetry.evidence.captured_series import CapturedSeries

MOST_LINES: Final = 5000
MOST_CHARACTERS: Final = 4 * 2**20  # of all lines
MOST_SERIES: Final = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class RedactedContents:
    """What goes, as JSON holds it, and for the holder what stands behind it."""

    lines: list[Json] = field(default_factory=list)
    evidence: list[Json] = field(default_factory=list)
    series: list[tuple[Json, bytes]] = field(default_factory=list)  # what it is, and its table
    sessions: list[Json] = field(default_factory=list)
    withheld: Counter[tuple[BundleSection, WithheldReason]] = field(default_factory=Counter)
    originals: dict[BundleSection, list[Json]] = field(
        default_factory=lambda: {section: [] for section in BundleSection}
    )


class ContentRedaction:
    """Redacts what a holder gives. Needs the holder's scope."""

    def __init__(self, *, redactor: NameRedactor, level: Level, others: KnownNames) -> None:
        """`others` are names of those who neither give nor get it."""
        self._redactor, self._level, self._others = redactor, level, others
        self._made = RedactedContents()
        self._numbers: dict[tuple[int, int], int] = {}  # place of a line → its number in the file

    def redacted(self, contents: OwnContents) -> RedactedContents:
        """Return what goes."""
        self._made.withheld.update(contents.withheld)
        for block in contents.blocks:
            self._block(block)
        for piece in contents.evidence:
            self._piece(piece)
        for piece in contents.of_others:
            self._beside(BundleSection.EVIDENCE, _kept_back(piece))
        for series in contents.series:
            self._series(series, contents.starts_at, contents.ends_at)
        for session in contents.sessions:
            self._session(session)
        return self._made

    def _block(self, block: LineBlock) -> None:
        """Redact lines that follow each other as one text: a private key spans several."""
        room = MOST_LINES - len(self._made.lines)
        taken = block.lines[: max(0, room)]
        if sum(len(each.text) for each in taken) > self._characters_left():
            taken = ()
        self._withhold(
            BundleSection.LINES, WithheldReason.OVER_LIMIT, len(block.lines) - len(taken)
        )
        if not taken:
            return
        # A line end inside of a line would make two of it.
        text = "\n".join(" ".join(each.text.splitlines()) for each in taken)
        marked = self._redactor.marked_text(text, self._level)
        host = self._redactor.host(block.host, self._level)
        for own, (shown, spans) in zip(taken, _lines(marked.text, marked.spans), strict=True):
            row = {"stream": block.stream, "host": host, "at": time_text(own.at)}
            beside = {**row, "host": block.host, "cited": own.is_cited, "original": own.text}
            if self._names_others(f"{host} {shown}"):
                self._withhold(BundleSection.LINES, WithheldReason.NAMES_OTHERS)
                self._beside(BundleSection.LINES, {**beside, "why": WithheldReason.NAMES_OTHERS})
                continue
            number = len(self._made.lines) + 1
            self._numbers[block.id, own.number] = number
            self._made.lines.append(
                {"n": number, "block": block.id, **row, "cited": own.is_cited, "text": shown}
            )
            self._beside(BundleSection.LINES, {**beside, "sent": shown, "spans": spans})

    def _piece(self, piece: OwnEvidence) -> None:
        redactor, level = self._redactor, self._level
        statement = redactor.statement(piece.statement, level)
        fact = redactor.fact(piece.fact, level)
        shown, original = statement_text(statement), statement_text(piece.statement)
        beside = {"layer": piece.layer, "at": time_text(piece.at), "original": original}
        if self._names_others(json.dumps([shown, statement, fact], ensure_ascii=False)):
            self._withhold(BundleSection.EVIDENCE, WithheldReason.NAMES_OTHERS)
            self._beside(BundleSection.EVIDENCE, {**beside, "why": WithheldReason.NAMES_OTHERS})
            return
        self._made.evidence.append(
            {
                "n": len(self._made.evidence) + 1,
                "cause": piece.cause,
                "side": piece.side,
                "weight": piece.weight,
                "layer": piece.layer,
                "at": time_text(piece.at),
                "claimed": piece.is_claimed,
                "text": shown,
                "statement": statement,
                "fact": fact,
                "line": self._numbers.get(piece.line) if piece.line else None,
            }
        )
        self._beside(BundleSection.EVIDENCE, {**beside, "sent": shown})

    def _series(self, series: CapturedSeries, starts_at: datetime, ends_at: datetime) -> None:
        if len(self._made.series) >= MOST_SERIES:
            self._withhold(BundleSection.SERIES, WithheldReason.OVER_LIMIT)
            return
        signal = self._redactor.signal(series.signal, self._level)
        entity = self._redactor.device(series.entity, self._level)
        own_meaning = series.meaning != series.signal
        told = {
            "entity": device_parts(entity),
            "signal": signal,
            "meaning": series.meaning if own_meaning else signal,
            "layer": series.layer,
            "unit": series.unit,
        }
        beside = {
            "layer": series.layer,
            "original": f"{device_name(series.entity)} {series.signal}",
            "meaning": series.meaning,
        }
        if self._names_others(json.dumps(told, ensure_ascii=False)):
            self._withhold(BundleSection.SERIES, WithheldReason.NAMES_OTHERS)
            self._beside(BundleSection.SERIES, {**beside, "why": WithheldReason.NAMES_OTHERS})
            return
        table, count = series_table(series, starts_at, ends_at)
        file = f"series/{len(self._made.series) + 1:03}.csv"
        self._made.series.append(({"file": file, "points": count, **told}, table))
        self._beside(
            BundleSection.SERIES,
            {**beside, "sent": f"{device_name(entity)} {signal}", "points": count},
        )

    def _session(self, session: OwnSession) -> None:
        redactor, level = self._redactor, self._level
        told = {"name": session.name, "hosts": list(session.hosts)}
        name = (redactor.fact({"session_name": session.name}, level) or {})["session_name"]
        shown = {"name": name, "hosts": [redactor.host(each, level) for each in session.hosts]}
        facts = {
            "state": session.state,
            "started_at": time_text(session.started_at),
            "ended_at": time_text(session.ended_at),
            "ranks": session.world_size,
        }
        self._made.sessions.append({**facts, **shown})
        self._beside(
            BundleSection.SESSIONS,
            {**facts, "original": session_text(told), "sent": session_text(shown)},
        )

    def _names_others(self, text: str) -> bool:
        return self._others.stand_in(text.encode("utf-8", "replace"))

    def _characters_left(self) -> int:
        return MOST_CHARACTERS - sum(len(each["text"]) for each in self._made.lines)

    def _withhold(self, section: BundleSection, why: WithheldReason, count: int = 1) -> None:
        if count:
            self._made.withheld[section, why] += count

    def _beside(self, section: BundleSection, row: Json) -> None:
        self._made.originals[section].append(row)


def _kept_back(piece: OwnEvidence) -> Json:
    original = statement_text(piece.statement)
    why = WithheldReason.OF_OTHERS
    return {"layer": piece.layer, "at": time_text(piece.at), "original": original, "why": why}


def _lines(
    text: str, spans: Sequence[RedactedSpan]
) -> Iterator[tuple[str, list[tuple[int, int, str]]]]:
    """Yield each line with what stands in it for something hidden."""
    start = 0
    for line in text.split("\n"):
        end = start + len(line)
        inside = [
            (max(each.start, start) - start, min(each.end, end) - start, str(each.kind))
            for each in spans
            if each.start < end and each.end > start
        ]
        yield line, inside
        start = end + 1
