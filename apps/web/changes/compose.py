"""What was changed in a cluster, as its page shows it."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Final

from apps.fleet.changes.change_values import ChangeView
from apps.fleet.values import ClusterName
from apps.web import words
from apps.web.changes.change_words import kind_word, unknown_hosts_text, versions_text, where_text
from apps.web.changes.page import ChangeForm, ChangesPage, ToldChangeRow
from apps.web.display.choices import SegmentLink
from apps.web.display.instants import day_text

SHOWN: Final = 200


def changes_page(
    *,
    cluster: ClusterName,
    rows: tuple[ToldChangeRow, ...],
    more: int,
    form: ChangeForm | None,
    spans: tuple[SegmentLink, ...],
    portal: str,
) -> ChangesPage:
    """Return what the page shows: rows, and that `more` older ones are left out.

    `portal` is its own address, for the line to paste.
    """
    return ChangesPage(
        cluster=cluster.slug,
        cluster_name=cluster.name,
        rows=rows,
        more=more,
        spans=spans,
        form=form,
        example=_example(portal=portal, cluster=cluster.slug),
    )


def change_rows(
    changes: Sequence[ChangeView], *, now: datetime, unknown_hosts: Collection[str] = ()
) -> tuple[ToldChangeRow, ...]:
    """Return changes as lines; of own ones with the names that match no host known now."""
    return tuple(_row(each, now=now, unknown_hosts=unknown_hosts) for each in changes)


def _row(each: ChangeView, *, now: datetime, unknown_hosts: Collection[str]) -> ToldChangeRow:
    unknown = [host for host in each.hosts or () if host in unknown_hosts] if each.is_own else ()
    return ToldChangeRow(
        id=each.id,
        when=day_text(each.starts_at, now=now),
        until=day_text(each.ends_at, now=now) if each.ends_at else "",
        kind=kind_word(each.kind),
        title=each.title,
        versions=versions_text(each),
        layer=words.layer(each.layer),
        where=where_text(each),
        unknown=unknown_hosts_text(unknown) if unknown else "",
        who=each.teller.name,
        by=each.by,
        reference=each.reference,
        url=each.url,
        is_own=each.is_own,
        is_brief=each.is_brief,
    )


def _example(*, portal: str, cluster: str) -> str:
    return (
        f"curl -H \"Authorization: Bearer $TOKEN\" '{portal}/api/v1/changes?cluster={cluster}' -d "
        '"{\\"key\\": \\"$CI_PIPELINE_ID\\", \\"kind\\": \\"deploy\\", '
        '\\"title\\": \\"$CI_PROJECT_NAME\\", \\"after\\": \\"$CI_COMMIT_SHORT_SHA\\", '
        '\\"at\\": \\"$(date -u +%FT%TZ)\\", \\"url\\": \\"$CI_PIPELINE_URL\\"}"'
    )
