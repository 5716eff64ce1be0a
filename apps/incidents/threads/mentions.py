"""Whom an annotation mentions: parties that read it, and people of its own organization."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Final

from apps.incidents.refusals import MentionUnread
from apps.tenancy.access import Actor
from apps.tenancy.models import Membership

# Not within a word, an address or a path; a full stop behind a name ends the sentence.
MENTION: Final = re.compile(r"(?<![\w@/.+-])@(\w(?:[\w.+-]*\w)?)")
CODE: Final = re.compile(r"```.*?(?:```|\Z)|``.*?``|`[^`]*`", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Mentions:
    """Whom a text names, by id."""

    parties: tuple[int, ...] = ()
    people: tuple[int, ...] = ()


def names_in(text: str) -> frozenset[str]:
    """Return the names behind an @ in a text; what stands in code mentions nobody."""
    return frozenset(MENTION.findall(CODE.sub(" ", text)))


def mentions_of(
    *, actor: Actor, text: str, parties: Mapping[str, int], readers: Collection[int]
) -> Mentions:
    """Return whom a text of the actor mentions; raise MentionUnread for a party that won't read it.

    `parties` are those that the actor may name, `readers` those the text is for. Any other name is
    plain text, whether somebody bears it or not.
    """
    names = names_in(text)
    if not names:
        return Mentions()
    own = actor.organization.pk
    named = {slug: pk for slug, pk in parties.items() if slug in names}
    unread = sorted(slug for slug, pk in named.items() if pk != own and pk not in readers)
    if unread:
        raise MentionUnread(", ".join(f"@{slug}" for slug in unread))
    members = Membership.objects.for_organization(actor.organization)
    people = members.filter(user__username__in=names).values_list("user_id", flat=True)
    return Mentions(parties=tuple(sorted(named.values())), people=tuple(sorted(people)))
