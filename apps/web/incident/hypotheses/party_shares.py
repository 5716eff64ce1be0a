"""What each party contributed to the leading explanation: its layers, items and weight."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from apps.incidents.projection.header_values import IncidentHeader
from apps.incidents.projection.values import EvidencePiece, HeldEvidence, HypothesisView
from apps.tenancy.values import OrganizationName
from apps.web import words
from apps.web.display.layers import LayerMark, layer_mark


@dataclass(frozen=True, slots=True, kw_only=True)
class PartyShare:
    """One party's part of what speaks for the leading explanation."""

    name: str
    mark: str
    layers: tuple[LayerMark, ...]
    items: str
    read: str  # how much of it the reader reads
    weight: str


def party_shares(
    *, hypotheses: Sequence[HypothesisView], header: IncidentHeader
) -> tuple[PartyShare, ...]:
    """Return who holds what of the leading explanation, the heaviest first.

    Nothing where one party holds all of it, or where nothing is established. It counts what the
    reader's explanations list already: its own, what is shown to it, and what others hold.
    """
    best = next((each for each in hypotheses if each.ruled_out is None), None)
    if best is None or best.cause == "unknown":
        return ()
    read: dict[OrganizationName, list[EvidencePiece]] = {}
    for piece in best.supporting:
        holder = piece.shared.holder if piece.shared else header.reader
        read.setdefault(holder, []).append(piece)
    hidden: dict[OrganizationName, list[HeldEvidence]] = {}
    for held in best.held:
        if held.side == "for":
            hidden.setdefault(held.organization, []).append(held)
    holders = dict.fromkeys((*read, *hidden))
    if len(holders) < 2:
        return ()
    weighed = [(_weight(read.get(o, ()), hidden.get(o, ())), o) for o in holders]
    weighed.sort(key=lambda pair: (-pair[0], pair[1].name))
    return tuple(
        _share(holder, read.get(holder, ()), hidden.get(holder, ()), header.reader, weight)
        for weight, holder in weighed
    )


def _weight(read: Sequence[EvidencePiece], hidden: Sequence[HeldEvidence]) -> float:
    return sum(each.weight for each in read) + sum(each.weight for each in hidden)


def _share(
    holder: OrganizationName,
    read: Sequence[EvidencePiece],
    hidden: Sequence[HeldEvidence],
    reader: OrganizationName,
    weight: float,
) -> PartyShare:
    hidden_count = sum(each.count for each in hidden)
    layers = {each.layer for each in read} | {each.layer for each in hidden}
    return PartyShare(
        name=holder.name,
        mark=holder.mark,
        layers=tuple(layer_mark(each) for each in sorted(layers)),
        items=words.items(len(read) + hidden_count),
        read=_read(len(read), hidden_count, is_own=holder == reader),
        weight=words.weight(weight),
    )


def _read(count: int, hidden_count: int, *, is_own: bool) -> str:
    if is_own:
        return _("you hold it")
    if not count:
        return _("hidden by policy")
    if not hidden_count:
        return _("shown to you")
    return _("%(n)s of %(all)s shown to you") % {"n": count, "all": count + hidden_count}
