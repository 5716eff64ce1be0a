"""Which entries the leading explanation explains, and by which of its rules.

A link is drawn only where the stored diagnosis says so: the entry is evidence that was weighed for
the explanation, or a line that the catalog knows as what follows from a failure.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from django.utils.translation import gettext as _

from apps.diagnosis.model import statement_of
from apps.incidents.projection.values import EvidencePiece, HypothesisView, IncidentView
from apps.incidents.words import spoken
from apps.web import words
from apps.web.incident.timeline.event_order import is_surely_later
from apps.web.incident.timeline.moments import shown_reference
from apps.web.lanes.arcs import CausalLink
from apps.web.lanes.elements import Entry
from apps.web.lanes.entry_index import IndexedTimeline
from apps.wording import said

FOLLOWS: Final = "cascade"


def references(piece: EvidencePiece) -> str:
    """Return by what a piece of evidence is the same as a moment; empty: it tells of none."""
    told = str((piece.fact or {}).get("signature") or "")
    if piece.shared is None or piece.at is None or not told:
        return piece.reference
    return shown_reference(holder=piece.shared.holder.id, at=piece.at, told=told)


def weights_of(view: IncidentView) -> dict[str, float]:
    """Return what each fact that the reader sees weighs for the verdict."""
    return {key: piece.weight for key, piece in _weighed(view).items()}


def _leading(view: IncidentView) -> HypothesisView | None:
    is_open = view.header.incident.verdict_status == "unknown"
    return None if is_open or not view.hypotheses else view.hypotheses[0]


def _weighed(view: IncidentView) -> dict[str, EvidencePiece]:
    """Return the heaviest piece that each fact is for the leading explanation."""
    best = _leading(view)
    found: dict[str, EvidencePiece] = {}
    for piece in best.supporting if best else ():
        key = references(piece)
        if key and (key not in found or found[key].weight < piece.weight):
            found[key] = piece
    return found


def causal_links(*, timeline: IndexedTimeline, view: IncidentView) -> tuple[CausalLink, ...]:
    """Return the links from the deciding entry: evidence by its weight, then what follows.

    Its entries are folded. Without a verdict, or without an entry that decides it, there is none.
    """
    best, chief = _leading(view), deciding(timeline)
    if best is None or chief is None:
        return ()
    cause = spoken(best.cause).name
    return (
        *_evidence(timeline, chief, _weighed(view), cause),
        *(_consequences(timeline, chief) if _is_likely(view) else ()),
    )


def rules_of(links: Sequence[CausalLink]) -> dict[str, str]:
    """Return the rule by which each entry is explained, by its key."""
    return {link.effect: link.rule for link in links}


def deciding(timeline: IndexedTimeline) -> Entry | None:
    """Return the entry that decides the verdict: of those that may have begun it the heaviest."""
    begun = [entry for entry in timeline.of_role("initiating") if not entry.is_hidden]
    return max(begun, key=lambda entry: entry.weight, default=None)


def _is_likely(view: IncidentView) -> bool:
    return view.header.incident.verdict_status == "likely"


def _evidence(
    timeline: IndexedTimeline, chief: Entry, weighed: Mapping[str, EvidencePiece], cause: str
) -> Iterator[CausalLink]:
    telling = {entry.key: entry for each in weighed for entry in timeline.telling_of(each)}
    found = []
    for entry in telling.values():
        told = [weighed[one.reference] for one in _all(entry) if one.reference in weighed]
        if entry.key != chief.key:
            found.append((max(told, key=lambda piece: piece.weight), entry))
    for piece, entry in sorted(found, key=lambda pair: (-pair[0].weight, pair[1].key)):
        rule = _("%(cause)s: %(told)s (%(weight)s)") % {
            "cause": cause,
            "told": said(statement_of(piece.statement)),
            "weight": words.weight(piece.weight),
        }
        yield _link(chief, entry, rule)


def _consequences(timeline: IndexedTimeline, chief: Entry) -> Iterator[CausalLink]:
    """Yield links to what stands later, and is told only where something failed before."""
    later = [
        entry
        for entry in timeline.of_role(FOLLOWS)
        if (entry.at and chief.at and entry.at > chief.at) and entry.signature and not entry.weight
    ]
    for entry in sorted(later, key=lambda each: (-each.count, each.key)):
        rule = _("rule %(signature)s: follows from a failure, is never its cause")
        yield _link(chief, entry, rule % {"signature": entry.signature})


def _all(entry: Entry) -> tuple[Entry, ...]:
    return entry.members or (entry,)


def _link(chief: Entry, entry: Entry, rule: str) -> CausalLink:
    return CausalLink(
        cause=chief.key, effect=entry.key, rule=rule, is_ordered=is_surely_later(entry, chief)
    )
