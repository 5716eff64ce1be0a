"""Many kinds of pushed logs, folded by cluster: how many, and the worst state, on the fold."""

from collections.abc import Sequence
from typing import Final

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from apps.web.sources.page import SourceFold, SourceRow

FOLDED_FROM: Final = 13  # fewer are read at a glance
AD_HOC: Final = "-"  # in the address: no cluster's slug
WORST_FIRST: Final = ("stale", "waiting", "fresh")


def folds(*, rows: Sequence[SourceRow], opened: str) -> tuple[SourceFold, ...]:
    """Return rows by cluster, the one that the address names open; nothing where rows are few."""
    if len(rows) < FOLDED_FROM:
        return ()
    groups: dict[str, list[SourceRow]] = {}
    for row in rows:
        groups.setdefault(row.cluster, []).append(row)
    return tuple(_fold(cluster, members, opened) for cluster, members in groups.items())


def _fold(cluster: str, rows: Sequence[SourceRow], opened: str) -> SourceFold:
    key = cluster or AD_HOC
    state = min((row.state for row in rows), key=WORST_FIRST.index)
    return SourceFold(
        key=key,
        name=cluster or _("Ad hoc"),
        amount=ngettext("%(n)s kind of log", "%(n)s kinds of log", len(rows)) % {"n": len(rows)},
        state=state,
        state_text=_state_text(state, sum(row.state == state for row in rows)),
        rows=tuple(rows),
        is_open=key == opened,
    )


def _state_text(state: str, count: int) -> str:
    if state == "stale":
        return _("%(n)s stale") % {"n": count}
    return _("%(n)s waiting") % {"n": count} if state == "waiting" else _("all fresh")
