"""Pseudonyms of a bundle → what they stand for, for its holder."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from apps.fleet.models import Session
from apps.sharing.bundles.bundle_contents import BundleChoice
from apps.sharing.bundles.bundle_making import BundleRedactor
from apps.sharing.bundles.bundle_recipients import Recipients, key_of
from apps.sharing.models import Bundle
from apps.sharing.redaction.reverse_map import ReverseMap
from apps.tenancy.access import Actor
from apps.tenancy.models import Organization

LONGEST: Final = 200  # letters of a name that is looked for


def name_behind(
    *, actor: Actor, bundle: Bundle, rows: Sequence[Mapping[str, Any]], name: str
) -> str | None:
    """Return what a pseudonym stands for, None where nothing known leads back to it.

    `rows` are lines as the preview has them: what stood where the name stands now.
    """
    wanted = name.strip()[:LONGEST]
    named = Organization.objects.filter(pk__in=bundle.recipients)
    redactor = BundleRedactor(
        cluster_id=bundle.cluster_id,
        recipients=Recipients(parties=tuple(named), outside=bundle.outside),
        choice=BundleChoice(),
        hit=Session.objects.none(),
        key=key_of(actor=actor, bundle=bundle),
    )
    known = ReverseMap(pseudonyms=redactor.pseudonyms, known=redactor.known)
    return known.value_of(wanted) or _in_lines(rows, wanted)


def _in_lines(rows: Sequence[Mapping[str, Any]], name: str) -> str | None:
    for row in rows:
        sent, spans = row.get("sent", ""), row.get("spans") or ()
        places = [
            number for number, (start, end, _) in enumerate(spans, 1) if sent[start:end] == name
        ]
        if places and (found := _pattern(sent, spans).fullmatch(row["original"])):
            return found[places[0]]
    return None


def _pattern(sent: str, spans: Sequence[Sequence[Any]]) -> re.Pattern[str]:
    """Return a line with room for anything where something stands for what was hidden."""
    parts, last = [], 0
    for start, end, _ in spans:
        parts += [re.escape(sent[last:start]), "(.*?)"]
        last = end
    return re.compile("".join([*parts, re.escape(sent[last:])]), re.DOTALL)
