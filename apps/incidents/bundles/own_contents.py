"""What an organization itself holds of an incident, and how much it may not give away.

What others show it under agreements is counted and left where it is.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from apps.incidents.bundles.recipient_scope import RecipientScope
from apps.incidents.models import Incident
from apps.incidents.projection.access import sessions_of
from apps.incidents.projection.hypotheses import read_hypotheses
from apps.incidents.projection.log_lines import lines_behind
from apps.incidents.projection.shared.shared_access import SharedAccess, shared_access
from apps.incidents.projection.shared.shared_charts import shared_charts
from apps.incidents.projection.values import EvidencePiece, HypothesisView
from apps.sharing.bundles.bundle_contents import (
    BundleChoice,
    BundleSection,
    LineBlock,
    OwnContents,
    OwnEvidence,
    OwnLine,
    OwnSession,
    WithheldReason,
)
from apps.sharing.grant_values import BESIDE_INCIDENT
from apps.telemetry.evidence import captured_series
from apps.telemetry.logs.raw_lines import CitedLine, RawLine, lines_around
from apps.telemetry.retention.citation_keys import line_place
from apps.tenancy.access import Actor

Counts = Counter[tuple[BundleSection, WithheldReason]]
LineKey = tuple[int, int]  # id of the stream, number of the line
MOST_CITED = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnPiece:
    """A piece of evidence of one's own, once, under the cause that it speaks to most."""

    position: int  # by which it is left out
    piece: EvidencePiece


def own_pieces(hypotheses: Sequence[HypothesisView]) -> tuple[OwnPiece, ...]:
    """Return the reader's own evidence in the order of the hypotheses."""
    pieces = [item for view in hypotheses for item in (*view.supporting, *view.opposing)]
    own = [item for item in pieces if item.shared is None]
    return tuple(
        OwnPiece(position=position, piece=item) for position, item in enumerate(own, start=1)
    )


def own_contents(
    *,
    actor: Actor,
    incident: Incident,
    choice: BundleChoice,
    scope: RecipientScope | None = None,
) -> OwnContents:
    """Return what of an incident the actor's organization holds and chose. Needs its scope.

    With a scope it goes to one of several tenants: only what concerns its own sessions does, and
    how much of others there is remains unsaid.
    """
    access = shared_access(actor=actor, incident=incident)
    hypotheses = read_hypotheses(actor=actor, incident=incident, access=access)
    withheld: Counts = Counter()
    chosen = [each.piece for each in own_pieces(hypotheses) if each.position not in choice.left_out]
    pieces = [each for each in chosen if _concerns(scope, each)]
    blocks: tuple[LineBlock, ...] = ()
    places: Mapping[LineKey, LineKey] = {}
    if BundleSection.LINES in choice.sections:
        blocks, places = _blocks(actor, hypotheses, pieces, choice.neighbours, withheld)
    evidence: list[OwnEvidence] = []
    of_others: list[OwnEvidence] = []
    if BundleSection.EVIDENCE in choice.sections:
        evidence = [_evidence(each, places) for each in pieces]
        goes = {each.id for each in pieces}
        of_others = [_evidence(each, {}) for each in chosen if each.id not in goes]
        withheld[BundleSection.EVIDENCE, WithheldReason.NOT_YOURS] += _held_by_others(hypotheses)
    series = _series(actor, incident, access, choice, withheld)
    sessions = _sessions(actor, incident, choice, withheld)
    starts_at, ends_at = _times(incident, scope, pieces)
    return OwnContents(
        starts_at=starts_at - BESIDE_INCIDENT,
        ends_at=ends_at + BESIDE_INCIDENT,
        evidence=tuple(evidence),
        blocks=blocks,
        series=tuple(
            each
            for each in series
            if scope is None or scope.concerns(host=each.entity.host or "", at=starts_at)
        ),
        sessions=sessions,
        of_others=tuple(of_others),
        is_of_several=scope is not None,
        withheld=withheld,
    )


def _concerns(scope: RecipientScope | None, item: EvidencePiece) -> bool:
    host = str((item.fact or {}).get("host") or "")
    return scope is None or scope.concerns(host=host, at=item.at, evidence=item.id)


def _times(
    incident: Incident, scope: RecipientScope | None, pieces: Sequence[EvidencePiece]
) -> tuple[datetime, datetime]:
    """Return from when to when the incident lasted, for whom it goes to."""
    told = scope.times([each.at for each in pieces]) if scope else None
    if told is not None:
        return told
    broke_at = incident.started_at or incident.detected_at
    return broke_at, max(incident.newest_evidence_at or broke_at, broke_at)


def _held_by_others(hypotheses: Sequence[HypothesisView]) -> int:
    """Return how many pieces others hold, as far as the header tells; each counts once a cause."""
    shown = sum(
        item.shared is not None
        for view in hypotheses
        for item in (*view.supporting, *view.opposing)
    )
    return shown + sum(held.count for view in hypotheses for held in view.held)


def _evidence(item: EvidencePiece, places: Mapping[LineKey, LineKey]) -> OwnEvidence:
    place = line_place(reference=item.reference)
    return OwnEvidence(
        cause=item.cause,
        side=item.side,
        weight=item.weight,
        layer=item.layer,
        at=item.at,
        statement=item.statement,
        fact=item.fact,
        is_claimed=item.is_claimed,
        line=places.get(place) if place else None,
    )


def _blocks(
    actor: Actor,
    hypotheses: Sequence[HypothesisView],
    pieces: Sequence[EvidencePiece],
    margin: int,
    withheld: Counts,
) -> tuple[tuple[LineBlock, ...], Mapping[LineKey, LineKey]]:
    """Return the cited lines with their neighbours, and where each cited one stands."""
    wanted = {item.reference for item in pieces}
    cited: dict[LineKey, CitedLine] = {}
    for reference, line in lines_behind(actor=actor, hypotheses=hypotheses).items():
        place = line_place(reference=reference)
        if place and reference in wanted:
            cited[place] = line
    gone = [place for place, line in cited.items() if line.text is None]
    withheld[BundleSection.LINES, WithheldReason.NOT_KEPT] += len(gone)
    kept = sorted(place for place in cited if cited[place].text is not None)
    withheld[BundleSection.LINES, WithheldReason.OVER_LIMIT] += len(kept[MOST_CITED:])
    found: dict[LineKey, RawLine] = {}
    for stream_id, number in kept[:MOST_CITED]:
        around = lines_around(actor=actor, stream_id=stream_id, number=number, margin=margin)
        found |= {(stream_id, each.number): each for each in around}
        # Of a line whose log is gone its fact has the text still.
        line = cited[stream_id, number]
        bare = RawLine(number=number, text=line.text or "", at=line.at)
        found.setdefault((stream_id, number), bare)
    return _joined(found, cited)


def _joined(
    found: Mapping[LineKey, RawLine], cited: Mapping[LineKey, CitedLine]
) -> tuple[tuple[LineBlock, ...], Mapping[LineKey, LineKey]]:
    """Return lines that follow each other as blocks."""
    groups: list[list[LineKey]] = []
    for stream_id, number in sorted(found):
        if groups and groups[-1][-1] == (stream_id, number - 1):
            groups[-1].append((stream_id, number))
        else:
            groups.append([(stream_id, number)])
    blocks = []
    places: dict[LineKey, LineKey] = {}
    for position, group in enumerate(groups, start=1):
        first = next(cited[place] for place in group if place in cited)
        blocks.append(
            LineBlock(
                id=position,
                stream=first.stream or "session",
                host=first.host,
                lines=tuple(_line(found[place], is_cited=place in cited) for place in group),
            )
        )
        places |= {place: (position, place[1]) for place in group}
    return tuple(blocks), places


def _line(raw: RawLine, *, is_cited: bool) -> OwnLine:
    return OwnLine(number=raw.number, at=raw.at, text=raw.text, is_cited=is_cited)


def _series(
    actor: Actor,
    incident: Incident,
    access: SharedAccess | None,
    choice: BundleChoice,
    withheld: Counts,
) -> tuple[captured_series.CapturedSeries, ...]:
    if BundleSection.SERIES not in choice.sections:
        return ()
    if access is not None:
        withheld[BundleSection.SERIES, WithheldReason.NOT_YOURS] += len(shared_charts(access))
    return tuple(
        captured_series.charts(
            organization_id=actor.organization.pk,
            incident_owner=incident.organization_id,
            incident_public_id=incident.public_id,
        )
    )


def _sessions(
    actor: Actor, incident: Incident, choice: BundleChoice, withheld: Counts
) -> tuple[OwnSession, ...]:
    if BundleSection.SESSIONS not in choice.sections:
        return ()
    rows = sessions_of(incident=incident)
    own = [row for row in rows if row.organization_id == actor.organization.pk]
    withheld[BundleSection.SESSIONS, WithheldReason.NOT_YOURS] += len(rows) - len(own)
    return tuple(
        OwnSession(
            name=row.attempt.session.name,
            state=row.attempt.state,
            started_at=row.attempt.started_at,
            ended_at=row.attempt.ended_at,
            world_size=row.attempt.world_size,
            hosts=tuple(row.attempt.hosts),
        )
        for row in own
    )
