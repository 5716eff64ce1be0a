"""Rows of the parties that hold something: how much of it they show, where to ask for more."""

from dataclasses import dataclass
from urllib.parse import urlencode

from django.urls import reverse

from apps.incidents.projection.shared_values import SharedAs
from apps.web.display.levels import shared_mark


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownPartyRow:
    """A party that holds something, and what of it the reader is shown."""

    name: str
    about: str | int  # what stands beside the name: its parts, how many sessions it has
    shown: str
    ask: str  # where to propose an agreement; empty: it is shown


def proposal_url(*, org: str, cluster: str, counterpart: str) -> str:
    """Return where an organization proposes an agreement on a cluster to another one, by slugs."""
    query = urlencode({"cluster": cluster, "counterpart": counterpart})
    return f"{reverse('web:propose_agreement', args=[org])}?{query}"


def shown_or(shown: SharedAs | None, *, hidden: str) -> str:
    """Return who shows it and how much of it, or `hidden` where nothing is shown."""
    return shared_mark(shown) if shown else hidden
