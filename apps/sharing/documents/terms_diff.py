"""What changes between two terms, rule by rule. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass

from apps.sharing.terms import Place, SharingRule, Terms

Key = tuple[str, Place]


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleChange:
    """A rule that is new, gone or different; one of the two is there."""

    giver: str  # slug
    before: SharingRule | None
    after: SharingRule | None


def changes_between(*, before: Terms, after: Terms) -> tuple[RuleChange, ...]:
    """Return what changes, side by side in order of data; nothing where both show the same."""
    found = []
    for giver in sorted({*before, *after}):
        former, later = _by_key(before, giver), _by_key(after, giver)
        found += [
            RuleChange(giver=giver, before=former.get(key), after=later.get(key))
            for key in sorted({*former, *later})
            if former.get(key) != later.get(key)
        ]
    return tuple(found)


def _by_key(terms: Terms, giver: str) -> Mapping[Key, SharingRule]:
    return {(rule.data, rule.where): rule for rule in terms.get(giver, ())}
