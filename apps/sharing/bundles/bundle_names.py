"""Pseudonyms of a bundle → what they stand for, for its holder."""

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
        if any(sent[start:end] == name for start, end, _ in spans):
            found = _hidden(row["original"], sent, spans)
            names = [sent[start:end] for start, end, _ in spans]
            if len(found) == len(names):
                return found[names.index(name)]
    return None


def _hidden(original: str, sent: str, spans: Sequence[Sequence[Any]]) -> list[str]:
    """Return what stood where something else stands now, as far as what stayed tells."""
    found: list[str] = []
    last, at = 0, 0
    for number, (start, end, _) in enumerate(spans):
        before = sent[last:start]
        if original[at : at + len(before)] != before:
            return []
        at += len(before)
        is_last = number + 1 == len(spans)
        after = sent[end : len(sent) if is_last else spans[number + 1][0]]
        stop = len(original) - len(after) if is_last else original.find(after or " ", at)
        if stop < at:
            return []
        found.append(original[at:stop])
        last, at = end, stop
    return found
