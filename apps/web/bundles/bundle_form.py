"""What goes into a bundle as a form, and a form that was sent as a choice."""

from dataclasses import dataclass
from datetime import datetime

from django.http import QueryDict
from django.utils.translation import gettext as _

from apps.diagnosis.input_values import whole_number
from apps.diagnosis.model import statement_of
from apps.incidents.facade.bundles import PossibleBundle
from apps.incidents.projection.values import EvidencePiece
from apps.sharing.bundles.bundle_contents import (
    DAYS,
    MOST_DAYS,
    NEIGHBOURS,
    BadBundleChoice,
    BundleChoice,
    BundleRoom,
    BundleSection,
)
from apps.sharing.redaction.profiles.load import load_profiles
from apps.sharing.terms import Level
from apps.tenancy.values import OrganizationName
from apps.web import words
from apps.web.display.instants import dated
from apps.wording import headline


@dataclass(frozen=True, slots=True, kw_only=True)
class BundleOption:
    """One thing to choose, and whether it is."""

    value: str
    text: str
    is_chosen: bool
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class BundleForm:
    """The form with what was chosen."""

    incident: str
    recipients: tuple[BundleOption, ...]
    outside: str
    sections: tuple[BundleOption, ...]
    pieces: tuple[BundleOption, ...]
    neighbours: tuple[BundleOption, ...]
    levels: tuple[BundleOption, ...]
    profiles: tuple[BundleOption, ...]
    keeps_hosts: bool
    days: str
    most_days: int
    purpose: str


def bundle_form(*, possible: PossibleBundle, choice: BundleChoice) -> BundleForm:
    """Return the form of an incident with a choice filled in."""
    return BundleForm(
        incident=possible.incident,
        recipients=tuple(_recipient(each, choice) for each in possible.parties),
        outside=choice.outside,
        sections=_sections(possible, choice),
        pieces=tuple(
            _piece(position, piece, choice)
            for position, piece in enumerate(possible.pieces, start=1)
        ),
        neighbours=tuple(
            BundleOption(
                value=str(each),
                text=_("%(n)s on each side") % {"n": each} if each else _("none"),
                is_chosen=each == choice.neighbours,
            )
            for each in NEIGHBOURS
        ),
        levels=_levels(choice),
        profiles=_profiles(choice),
        keeps_hosts=choice.keeps_hosts,
        days=str(choice.days),
        most_days=MOST_DAYS,
        purpose=choice.purpose,
    )


def room_line(room: BundleRoom) -> str:
    """Return how much of an organization's bundles is kept, and how much can be, in a sentence."""
    return _(
        "You keep %(count)s of at most %(most)s bundles, %(size)s MiB of at most %(most_size)s."
    ) % {
        "count": room.count,
        "most": room.most,
        "size": f"{room.size / 2**20:,.1f}",
        "most_size": f"{room.most_size // 2**20:,}",
    }


def sent_choice(*, sent: QueryDict, piece_count: int) -> BundleChoice:
    """Return what a form chose. Raises BadBundleChoice."""
    try:
        sections = frozenset(BundleSection(each) for each in sent.getlist("section"))
        level = Level(sent.get("level", ""))
    except ValueError:
        raise BadBundleChoice(_("choose what goes and how much of it is shown")) from None
    chosen = {whole_number(each) for each in sent.getlist("piece")}
    left_out = frozenset(n for n in range(1, piece_count + 1) if n not in chosen)
    return BundleChoice(
        recipients=tuple(sent.getlist("recipient")),
        outside=sent.get("outside", ""),
        sections=sections,
        left_out=left_out,
        neighbours=_number(sent, "neighbours"),
        level=level,
        profile=sent.get("profile", ""),
        keeps_hosts=sent.get("keeps_hosts") == "on",
        days=_number(sent, "days"),
        purpose=sent.get("purpose", ""),
    )


def _number(sent: QueryDict, name: str) -> int:
    number = whole_number(sent.get(name, ""))
    return -1 if number is None else number


def _recipient(name: OrganizationName, choice: BundleChoice) -> BundleOption:
    return BundleOption(value=name.slug, text=name.name, is_chosen=name.slug in choice.recipients)


def _sections(possible: PossibleBundle, choice: BundleChoice) -> tuple[BundleOption, ...]:
    contents = possible.contents
    counts = {
        BundleSection.EVIDENCE: len(contents.evidence),
        BundleSection.LINES: sum(
            line.is_cited for block in contents.blocks for line in block.lines
        ),
        BundleSection.SERIES: len(contents.series),
        BundleSection.SESSIONS: len(contents.sessions),
    }
    return tuple(
        BundleOption(
            value=str(each),
            text=section_name(each),
            is_chosen=each in choice.sections,
            note=str(counts[each]),
        )
        for each in BundleSection
    )


def section_name(section: BundleSection) -> str:
    """Return what a part of a bundle is called."""
    names = {
        BundleSection.EVIDENCE: _("Evidence"),
        BundleSection.LINES: _("Cited log lines"),
        BundleSection.SERIES: _("Charts' series"),
        BundleSection.SESSIONS: _("Facts of our sessions"),
    }
    return names[section]


def _piece(position: int, piece: EvidencePiece, choice: BundleChoice) -> BundleOption:
    return BundleOption(
        value=str(position),
        text=headline(statement_of(piece.statement)),
        is_chosen=position not in choice.left_out,
        note=" · ".join([words.layer(piece.layer), *_moment(piece.at)]),
    )


def _moment(at: datetime | None) -> list[str]:
    return [dated(at, seconds=True)] if at else []


def _levels(choice: BundleChoice) -> tuple[BundleOption, ...]:
    texts = {
        Level.REDACTED: _("Redacted: names are pseudonyms"),
        Level.FULL: _("In full: only credentials are taken out"),
    }
    return tuple(
        BundleOption(value=str(level), text=text, is_chosen=level is choice.level)
        for level, text in texts.items()
    )


def _profiles(choice: BundleChoice) -> tuple[BundleOption, ...]:
    texts = {
        "operations": _("Operations: paths, users and jobs as pseudonyms"),
        "support": _(
            "A maker's support: these are cut, serial numbers and addresses of parts stay"
        ),
    }
    return tuple(
        BundleOption(value=name, text=texts.get(name, name), is_chosen=name == choice.profile)
        for name in load_profiles()
    )


def first_choice() -> BundleChoice:
    """Return what an empty form begins with."""
    return BundleChoice(days=DAYS)
