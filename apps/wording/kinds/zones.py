"""Logs whose zone no line states: what is taken for it, and what would follow from another."""

from collections.abc import Mapping

from apps.wording import quantities
from apps.wording.speaker import Wording, text
from apps.wording.translatable import gettext_noop

ZONES: Mapping[str, Wording] = {
    "zones-compared": text(
        gettext_noop(
            "The %(log)s states no time zone: %(taken)s, %(what)s comes %(then)s; "
            "%(otherwise)s, %(else_then)s"
        )
    ),
    "zone-assumed": text(gettext_noop("The %(log)s states no time zone: its times are %(taken)s")),
    "zone-taken": text(
        gettext_noop(
            "The %(streams)s log states no time zone: its times are taken as %(zone)s. "
            "`--tz` says otherwise."
        ),
        gettext_noop(
            "The %(streams)s logs state no time zone: their times are taken as %(zone)s. "
            "`--tz` says otherwise."
        ),
        counted="count",
        streams=quantities.streams,
        zone=quantities.zone,
    ),
    "zone-stated": text(
        gettext_noop(
            "The %(streams)s log states no time zone: its times are taken as %(zone)s, "
            "which the %(by)s prints."
        ),
        gettext_noop(
            "The %(streams)s logs state no time zone: their times are taken as %(zone)s, "
            "which the %(by)s prints."
        ),
        counted="count",
        streams=quantities.streams,
        zone=quantities.zone,
    ),
    "log": text(gettext_noop("%(stream)s log"), stream=quantities.stream),
    "log-of-host": text(gettext_noop("%(log)s of %(host)s")),
    "this-evidence": text(gettext_noop("this")),
    "evidence-for": text(gettext_noop("what speaks for %(cause)s")),
    "evidence-on-host": text(gettext_noop("what speaks for %(cause)s on %(host)s")),
    "taken-as-zone": text(gettext_noop("taken as %(zone)s"), zone=quantities.zone),
    "taken-as-behind": text(
        gettext_noop("taken as %(span)s behind the session log"), span=quantities.finer_span
    ),
    "taken-as-ahead": text(
        gettext_noop("taken as %(span)s ahead of the session log"), span=quantities.finer_span
    ),
    "as-printed": text(gettext_noop("as printed")),
    "with-stop": text(gettext_noop("with the stop")),
    "before-stop": text(gettext_noop("%(span)s before the stop"), span=quantities.finer_span),
    "after-stop": text(gettext_noop("%(span)s after the stop"), span=quantities.finer_span),
    "option-says-zone": text(gettext_noop("`--tz` says which it is")),
    "dated-log-says-zone": text(
        gettext_noop(
            "a log whose times name their zone says which it is (`journalctl -k -o short-iso`)"
        )
    ),
}
