"""Evidence that other parties hold, as far as they show it, and what stays a number."""

import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from apps.diagnosis.model import statement, statement_json
from apps.incidents.models import EvidenceItem
from apps.incidents.projection.shared.shared_access import SharedAccess
from apps.incidents.projection.shared.shared_lines import LinesBehind, shared_lines, streams_of
from apps.incidents.projection.shared_values import SharedAs
from apps.incidents.projection.values import EvidencePiece, HeldEvidence
from apps.sharing.grant_values import Grant, SharedThing
from apps.sharing.redactor import Redactor
from apps.sharing.terms import Level
from apps.tenancy.values import value_of

Key = tuple[str, str]  # cause and side, as a hypothesis asks for its evidence


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedPieces:
    """What others show of their evidence, each line once; the copies of it count as shown, too."""

    pieces: defaultdict[Key, list[EvidencePiece]] = field(default_factory=lambda: defaultdict(list))
    copies: defaultdict[Key, list[EvidencePiece]] = field(default_factory=lambda: defaultdict(list))

    def all_of(self, cause: str) -> list[EvidencePiece]:
        """Return what speaks for and against a cause, with the copies."""
        keys = ((cause, "for"), (cause, "against"))
        return [each for key in keys for told in (self.pieces, self.copies) for each in told[key]]


def shared_evidence(access: SharedAccess) -> SharedPieces:
    """Return what others show of their evidence, by what it speaks to. Needs the reader's scope."""
    found = SharedPieces()
    for grant in access.grants:
        with access.held_by(grant) as redactor:
            rows = list(shown_rows(access, grant))
            lines = shared_lines(access=access, grant=grant, rows=rows, redactor=redactor)
            first = _first_of_each(rows)
            for row, shown in rows:
                piece = _piece(row, shown, lines, redactor)
                key = row.cause, row.side
                if row.pk in first:
                    _hand_out(access, thing_of(row).data, piece)
                    found.pieces[key].append(piece)
                else:
                    found.copies[key].append(piece)
    return found


def _first_of_each(rows: Sequence[tuple[EvidenceItem, SharedAs]]) -> frozenset[int]:
    """Return of each line the row that stands for it: two sessions may rest on one line, and so may
    two reasons.

    Lines are told apart by what their holder knows of them: as signals they look alike.
    """
    first: dict[object, tuple[int, float, int]] = {}
    for row, shown in rows:
        told = row.reference or json.dumps(row.statement, sort_keys=True)
        same = (row.cause, row.side, told, row.at)
        chosen = (shown.level.rank, abs(row.weight), row.pk)
        first[same] = max(first.get(same, chosen), chosen)
    return frozenset(pk for *_, pk in first.values())


def shown_rows(access: SharedAccess, grant: Grant) -> Iterator[tuple[EvidenceItem, SharedAs]]:
    """Yield what a holder shows of its evidence, and how. Needs the holder's scope."""
    own = EvidenceItem.objects.for_organization(grant.holder.id)
    rows = list(own.filter(incident=access.incident))
    streams = streams_of(grant=grant, rows=rows)
    for row in rows:
        thing = replace(thing_of(row), stream=streams.get(row.reference, ""))
        shown = access.shown(grant, thing)
        if shown is not None:
            yield row, shown


def thing_of(row: EvidenceItem) -> SharedThing:
    """Return of which class a piece of evidence is, where and when."""
    family = "metrics" if row.reference.startswith("anomaly:") else "events"
    return SharedThing(
        data=f"{family}:{row.layer or 'unknown'}",
        host=str((row.fact or {}).get("host") or ""),
        at=row.at,
        attempt_id=row.attempt_id,
    )


def still_held(
    held: Sequence[HeldEvidence], shown: Sequence[EvidencePiece]
) -> tuple[HeldEvidence, ...]:
    """Return how much others hold beside what they show."""
    count: Counter[tuple[object, ...]] = Counter()
    weight: defaultdict[tuple[object, ...], float] = defaultdict(float)
    for piece in shown:
        if piece.shared is not None:
            key = (piece.shared.holder.id, piece.side, piece.layer, piece.is_claimed)
            count[key] += 1
            weight[key] += piece.weight
    rest = []
    for entry in held:
        key = (entry.organization.id, entry.side, entry.layer, entry.is_claimed)
        left = entry.count - count[key]
        if left > 0:
            more = round(entry.weight - weight[key], 2)
            rest.append(replace(entry, count=left, weight=more))
    return tuple(rest)


def _hand_out(access: SharedAccess, data: str, piece: EvidencePiece) -> None:
    told = (piece.side, piece.at, piece.statement, piece.fact)
    if piece.shared is not None:
        access.handed_out.add(piece.shared, data, *told)
        line = piece.shared_line
        if line is not None:
            data = f"logs:{line.stream}"
            access.handed_out.add(line.shared, data, line.host, line.at, line.text)


def _piece(
    row: EvidenceItem, shown: SharedAs, lines: LinesBehind, redactor: Redactor
) -> EvidencePiece:
    if shown.level is Level.SIGNAL:
        signal = signal_of(row.layer, row.at)
        return value_of(
            EvidencePiece, row, shared=shown, shared_line=None, hidden_line="", **signal
        )
    # By what its holder finds a line again (file, number, key of its row) stays with the holder.
    return value_of(
        EvidencePiece,
        row,
        source="",
        line=None,
        reference="",
        statement=redactor.statement(row.statement, shown.level),
        fact=redactor.fact(row.fact, shown.level),
        shared=shown,
        shared_line=lines.shown.get(row.pk),
        hidden_line=lines.hidden.get(row.pk, ""),
    )


def signal_of(layer: str, at: datetime | None) -> dict[str, Any]:
    """Return what a signal tells: that there is something, of which layer, in which minute."""
    return {
        "statement": statement_json(statement("shown-as-signal", layer=layer or "unknown")),
        "at": at.replace(second=0, microsecond=0) if at else None,
        "source": "",
        "line": None,
        "reference": "",
        "fact": None,
    }
