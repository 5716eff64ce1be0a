"""Parts in clusters in words: who holds which, what is offered and asked back."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from django.utils.translation import gettext as _

from apps.fleet.models import ParticipationRole, PartProposal, ProposalKind
from apps.fleet.parties.role_proposals import (
    BadProposal,
    HasPart,
    LacksPart,
    OwnOffer,
    OwnPart,
    SlugBad,
    TooManyOpen,
)
from apps.web import words
from apps.web.display.instants import dated
from apps.web.display.organizations import SwitchTarget, place

OFFERED_LAYERS = ("gpu", "network", "storage", "host", "software", "straggler")


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """Something to choose."""

    value: str
    name: str
    is_chosen: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class MadeRow:
    """What was proposed to another organization, and what became of it."""

    public_id: str
    slug: str
    what: str
    state: str
    is_open: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ReceivedRow:
    """What another organization proposes to the reader's."""

    public_id: str
    by: SwitchTarget
    cluster: str
    cluster_name: str
    what: str
    layers: str
    ends: str
    is_offer: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferForm:
    """A part to be offered, as it was typed."""

    slug: str = ""
    parts: tuple[Option, ...] = ()
    layers: tuple[Option, ...] = ()
    problem: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TypedForm:
    """What was typed into the forms of one cluster, and what is wrong with it."""

    cluster: str = ""
    project: str = ""
    tenant: str = ""
    problem: str = ""
    offer: Mapping[str, str] = field(default_factory=dict)
    layers: tuple[str, ...] = ()
    offer_problem: str = ""


def part_name(part: str) -> str:
    """Return what a part is called."""
    return _(words.PARTS[part])


def made_row(*, row: PartProposal, now: datetime) -> MadeRow:
    """Return a proposal as its sender reads it."""
    named = {"part": part_name(row.part)}
    is_offer = row.kind == ProposalKind.OFFER
    return MadeRow(
        public_id=row.public_id,
        slug=row.slug,
        what=_("to be its %(part)s") % named if is_offer else _("to give up: %(part)s") % named,
        state=_state(row, now=now),
        is_open=row.state == "open" and row.expires_at > now,
    )


def received_row(*, row: PartProposal) -> ReceivedRow:
    """Return a proposal as its recipient reads it."""
    layers = [words.layer(layer) for layer in row.layers]
    return ReceivedRow(
        public_id=row.public_id,
        by=place(row.organization),
        cluster=row.cluster.slug,
        cluster_name=row.cluster.name,
        what=part_name(row.part),
        layers=", ".join(layers) or _("no layer"),
        ends=_day(row.expires_at),
        is_offer=row.kind == ProposalKind.OFFER,
    )


def proposal_said(*, row: PartProposal) -> str:
    """Return a proposal in one sentence, for its recipient."""
    told = {
        "name": row.organization.name,
        "part": part_name(row.part),
        "cluster": row.cluster.name,
    }
    if row.kind == ProposalKind.OFFER:
        return _("%(name)s offers you to be %(part)s of %(cluster)s.") % told
    return _("%(name)s asks you to give up a part of %(cluster)s: %(part)s.") % told


def offer_form(*, typed: TypedForm) -> OfferForm:
    """Return the form of an offer."""
    part = typed.offer.get("part", ParticipationRole.TENANT.value)
    return OfferForm(
        slug=typed.offer.get("slug", ""),
        parts=tuple(
            Option(value=each, name=part_name(each), is_chosen=each == part)
            for each in ParticipationRole.values
        ),
        layers=tuple(
            Option(value=each, name=words.layer(each), is_chosen=each in typed.layers)
            for each in OFFERED_LAYERS
        ),
        problem=typed.offer_problem,
    )


def proposal_problem(*, error: BadProposal, slug: str) -> str:
    """Return why something can't be proposed."""
    known: Sequence[tuple[type[BadProposal], str]] = (
        (SlugBad, _("Write the short name of the organization: letters, digits, - and _ only.")),
        (HasPart, _("%(slug)s takes this part already.") % {"slug": slug}),
        (LacksPart, _("%(slug)s does not take this part.") % {"slug": slug}),
        (OwnOffer, _("This is your own organization: offer the part to another one.")),
        (OwnPart, _("Leave a part of your own instead.")),
        (TooManyOpen, _("Too many wait for an answer: take some back first.")),
    )
    return next(text for kind, text in known if isinstance(error, kind))


def _state(row: PartProposal, *, now: datetime) -> str:
    if row.state == "accepted":
        return _("accepted")
    if row.state == "declined":
        return _("declined")
    if row.state == "taken_back":
        return _("taken back")
    if row.expires_at <= now:
        return _("not answered in time")
    return _("waits until %(day)s") % {"day": _day(row.expires_at)}


def _day(at: datetime) -> str:
    return _("%(at)s UTC") % {"at": dated(at)}
