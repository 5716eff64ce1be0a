"""Log lines that the search finds: one's own, the newest first, as far as was looked."""

import pytest

from apps.search.search import search
from apps.search.values import HitKind, SearchResult
from apps.telemetry.facade.search import find_lines, line_with_neighbours
from apps.telemetry.logs import line_search
from apps.tenancy.access import NotFound
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope
from tests.cast.incidents import actor
from tests.cast.pushes import Cast, cast, drain_all, push_text

OLD = "2026-11-21T01:00:00Z gpu007 kernel: NVRM: Xid (PCI:0000:3b:00): 79, pid=1, GPU has fallen\n"


@pytest.fixture
def pushed(db: None) -> Cast:
    """An operator's kernel log in two bodies, and a tenant's session log."""
    made = cast()
    labels = {"cluster": made.cluster.slug, "stream": "kernel", "host": "gpu007"}
    push_text(made.token(made.operator), OLD + "first filler\n", **labels)
    push_text(made.token(made.operator), "later FILLER (a.b)\nlast Filler\n", **labels)
    drain_all(made.operator)
    return made


def found(who: Organization, typed: str) -> SearchResult:
    """Search as a member of an organization."""
    asking = actor(who)
    with organization_scope(who.pk):
        return search(actor=asking, typed=typed)


def texts(who: Organization, typed: str) -> list[str]:
    """Return the lines that are found."""
    groups = {group.kind: group.hits for group in found(who, typed).groups}
    return [hit.title for hit in groups.get(HitKind.LINE, ())]


def test_lines_are_found_newest_first_whatever_their_case(pushed: Cast) -> None:
    wanted = ["last Filler", "later FILLER (a.b)", "first filler"]

    assert texts(pushed.operator, "log:filler") == wanted


def test_nobody_else_finds_them_nor_how_many_there_are(pushed: Cast) -> None:
    for who in (pushed.platform, pushed.tenant, pushed.other):
        result = found(who, "log:filler")
        assert result.groups == ()
        assert result.lines is not None
        assert (result.lines.line_count, result.lines.reached) == (0, None)


def test_a_text_is_looked_for_as_it_is_written(pushed: Cast) -> None:
    assert texts(pushed.operator, "log:(a.b)") == ["later FILLER (a.b)"]
    assert texts(pushed.operator, "log:(a.*") == []
    assert texts(pushed.operator, "log:fill%") == []


def test_an_xid_is_found_by_its_number(pushed: Cast) -> None:
    assert texts(pushed.operator, "xid:79") == [OLD.strip()]
    assert texts(pushed.operator, "xid:7") == []
    assert texts(pushed.tenant, "xid:79") == []


def test_what_was_not_looked_through_is_said(pushed: Cast) -> None:
    asking = actor(pushed.operator)
    with organization_scope(pushed.operator.pk):
        whole = find_lines(actor=asking, text="no such text", limit=5)
        cut = line_search.search_lines(actor=asking, text="no such text", limit=5, most_bytes=1)

    assert (whole.is_whole, whole.line_count) == (True, 4)
    assert (cut.is_whole, cut.line_count) == (False, 2)
    assert cut.reached is not None


def test_a_found_line_is_read_among_its_neighbours_by_who_sent_it(pushed: Cast) -> None:
    result = found(pushed.operator, "log:first filler")
    (hit,) = result.groups[0].hits
    asking = actor(pushed.operator)
    with organization_scope(pushed.operator.pk):
        number, lines = line_with_neighbours(actor=asking, reference=hit.id)

    assert [line.text for line in lines if line.number == number] == ["first filler"]
    other = actor(pushed.tenant)
    for reference in (hit.id, "stream:1", "event:7", "", f"{hit.id}9"):
        with organization_scope(pushed.tenant.pk), pytest.raises(NotFound):
            line_with_neighbours(actor=other, reference=reference)
