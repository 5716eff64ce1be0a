"""The list of agreements: cluster by cluster, a row a party; and the presets there are."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from apps.sharing.facade.agreements import AgreementView, PossibleSide
from apps.sharing.presets.preset_terms import preset_names
from apps.web import words
from apps.web.display.instants import dated
from apps.web.sharing.terms_words import PRESETS, STATES


@dataclass(frozen=True, slots=True, kw_only=True)
class PresetCard:
    """A preset in a sentence."""

    key: str
    name: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AgreementRow:
    """An agreement in the list, or a party with which there is none."""

    slug: str
    name: str
    mark: str
    parts: str
    state: str
    public_id: str = ""
    waits_for_reader: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterRows:
    """A cluster's parties, and what there is with each."""

    slug: str
    name: str
    rows: tuple[AgreementRow, ...]
    unagreed: str  # names of those with whom there is nothing yet
    has_several_unagreed: bool
    unagreed_slugs: str  # with commas


def preset_cards() -> tuple[PresetCard, ...]:
    """Return the presets in the order in which they are offered."""
    return tuple(
        PresetCard(key=name, name=str(PRESETS[name][0]), text=str(PRESETS[name][1]))
        for name in preset_names()
    )


def cluster_rows(
    *,
    slug: str,
    name: str,
    sides: Sequence[PossibleSide],
    agreements: Sequence[AgreementView],
) -> ClusterRows:
    """Return the parties of a cluster, each with what there is with it."""
    here = {each.other.slug: each for each in agreements if each.cluster.slug == slug}
    rows = [_row(side, here.pop(side.organization.slug, None)) for side in sides]
    # Who left the cluster since keeps its agreements readable.
    rows += [_left(view) for view in here.values()]
    bare = [row for row in rows if not row.public_id]
    return ClusterRows(
        slug=slug,
        name=name,
        rows=tuple(sorted(rows, key=lambda row: not row.waits_for_reader)),
        unagreed=words.joined([row.name for row in bare]),
        unagreed_slugs=",".join(row.slug for row in bare),
        has_several_unagreed=len(bare) > 1,
    )


def state_of(view: AgreementView) -> str:
    """Return where an agreement stands, in a few words."""
    if view.waits_for_reader:
        return _("waits for you")
    told = []
    if view.current is not None:
        since = view.current.in_force_at
        told.append(_("in force since %(day)s") % {"day": dated(since)} if since else _("in force"))
        if view.current.until:
            told.append(_("until %(day)s") % {"day": dated(view.current.until)})
    if view.waiting is not None:
        told.append(_("waits for %(name)s") % {"name": view.other.name})
    if not told:
        told.append(str(STATES[view.versions[0].state]) if view.versions else _("nothing agreed"))
    return ", ".join(told)


def _row(side: PossibleSide, view: AgreementView | None) -> AgreementRow:
    return AgreementRow(
        slug=side.organization.slug,
        name=side.organization.name,
        mark=side.organization.mark,
        parts=words.parts(side.parts),
        state=state_of(view) if view else _("nothing agreed"),
        public_id=view.public_id if view else "",
        waits_for_reader=view.waits_for_reader if view else False,
    )


def _left(view: AgreementView) -> AgreementRow:
    return AgreementRow(
        slug=view.other.slug,
        name=view.other.name,
        mark=view.other.mark,
        parts=_("left the cluster"),
        state=state_of(view),
        public_id=view.public_id,
    )
