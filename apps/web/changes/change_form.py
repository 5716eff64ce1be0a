"""What a person typed into the form of a change → a report, or what is wrong with it."""

import secrets
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Final

from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext as _

from apps.diagnosis.input_values import in_bounds, is_future, storable, visible
from apps.diagnosis.model import Layer
from apps.fleet.changes.change_report import (
    LAYERS,
    LIMITS,
    USUAL_LAYERS,
    ChangeReport,
    is_link,
)
from apps.fleet.models import ChangedThing
from apps.telemetry.formats.changes_json import BadHost, host_names
from apps.web import words
from apps.web.changes.change_words import kind_word
from apps.web.changes.page import ChangeForm

FIELDS: Final = (
    *("key", "kind", "layer", "at", "until", "hosts", "title", "before", "after"),
    *("reference", "url"),
)
TYPED_AT_MOST: Final = 5000  # letters of one field that are looked at


class BadChange(ValueError):
    """What was typed is no change; the text says why."""


def empty_form(*, now: datetime) -> ChangeForm:
    """Return the form as it is opened: a change that was made now."""
    return change_form(typed={"at": f"{now.astimezone(UTC):%Y-%m-%dT%H:%M}"})


def change_form(*, typed: Mapping[str, str], problem: str = "") -> ChangeForm:
    """Return the form with what was typed, and what is wrong with it."""
    return ChangeForm(
        key=typed.get("key") or f"form-{secrets.token_hex(8)}",
        kinds=tuple((each.value, kind_word(each)) for each in ChangedThing),
        layers=tuple((each.value, words.layer(each)) for each in LAYERS),
        typed=typed,
        problem=problem,
    )


def typed_change(posted: Mapping[str, str]) -> dict[str, str]:
    """Return what was typed, by field."""
    return {name: str(posted.get(name, ""))[:TYPED_AT_MOST].strip() for name in FIELDS}


def change_of(typed: Mapping[str, str], *, by: str, now: datetime) -> ChangeReport:
    """Return the report that was typed. Raises BadChange, with words for who typed it."""
    said = {name: visible(storable(typed[name])) for name in FIELDS if name not in {"at", "until"}}
    if typed["kind"] not in set(ChangedThing) or typed["layer"] not in {"", *LAYERS}:
        raise BadChange(_("Choose what kind of change it was."))
    if not said["title"] or not said["key"]:
        raise BadChange(_("Say in a few words what was changed."))
    for name, most in LIMITS.items():
        if name in said and len(said[name]) > most:
            raise BadChange(_("“%(text)s…” is too long.") % {"text": said[name][:40]})
    if said["url"] and not is_link(said["url"]):
        raise BadChange(_("The address must begin with https:// or http://, without a password."))
    starts_at, ends_at = _times(typed, now)
    kind = ChangedThing(typed["kind"])
    return ChangeReport(
        key=said["key"],
        kind=kind,
        layer=Layer(typed["layer"]) if typed["layer"] else USUAL_LAYERS[kind],
        starts_at=starts_at,
        ends_at=ends_at,
        hosts=_hosts(said["hosts"]),
        title=said["title"],
        before=said["before"],
        after=said["after"],
        reference=said["reference"],
        url=said["url"],
        by=by[: LIMITS["by"]],
    )


def _times(typed: Mapping[str, str], now: datetime) -> tuple[datetime, datetime | None]:
    starts_at, ends_at = _time(typed["at"]), _time(typed["until"])
    if starts_at is None:
        raise BadChange(_("Say when it was changed, in UTC."))
    if is_future(starts_at, now=now):
        raise BadChange(_("That time is still to come: write a change down when it is made."))
    if typed["until"] and (ends_at is None or ends_at < starts_at):
        raise BadChange(_("The end must be a time, and not earlier than the begin."))
    return starts_at, ends_at


def _time(text: str) -> datetime | None:
    try:
        found = parse_datetime(text)
    except ValueError:
        return None
    return in_bounds(found if found is None or found.tzinfo else found.replace(tzinfo=UTC))


def _hosts(text: str) -> tuple[str, ...]:
    try:
        return host_names(text.split())
    except BadHost as error:
        raise BadChange(_("“%(name)s” is no name of a host.") % {"name": error.name}) from error
