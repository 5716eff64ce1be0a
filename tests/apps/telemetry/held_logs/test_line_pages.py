"""Pages of a held log: every line once, in order, whatever cuts and order it came in."""

import random
from itertools import pairwise

import pytest

from apps.telemetry.facade import held_logs
from apps.telemetry.held_logs import line_pages
from apps.telemetry.held_logs.values import LineGap
from apps.telemetry.models import LogChunk
from apps.tenancy.access import NotFound
from apps.tenancy.scope import organization_scope
from tests.apps.telemetry.ageing import RAW, come_in
from tests.apps.telemetry.held_logs.held import Holder, holder, sent_as_files, sent_stamped
from tests.cast import make


def forward(made: Holder, *, count: int) -> list[str]:
    """Return all lines, page by page from the first."""
    key, number = made.stream().key, 1
    texts: list[str] = []
    with organization_scope(made.organization.pk):
        while True:
            page = held_logs.page_from(actor=made.actor, key=key, number=number, count=count)
            texts += [line.text for line in page.lines]
            if not page.has_newer:
                return texts
            assert page.last is not None
            number = page.last + 1


def backward(made: Holder, *, count: int) -> list[str]:
    """Return all lines, page by page from the last."""
    stream = made.stream()
    number = stream.line_count + 1
    texts: list[str] = []
    with organization_scope(made.organization.pk):
        while True:
            page = held_logs.page_before(
                actor=made.actor, key=stream.key, number=number, count=count
            )
            texts = [line.text for line in page.lines] + texts
            if not page.has_older:
                return texts
            assert page.first is not None
            number = page.first


@pytest.mark.django_db
@pytest.mark.parametrize("count", [1, 7, 200])
def test_pages_of_files_hold_each_line_once_in_both_directions(count: int) -> None:
    made = sent_as_files(13, 1, 40)
    wanted = [f"line {number} of the node" for number in range(1, 55)]
    for texts in (forward(made, count=count), backward(made, count=count)):
        assert [text.partition("kernel: ")[2] for text in texts] == wanted


@pytest.mark.django_db
def test_stamped_lines_that_came_late_doubled_and_shuffled_read_as_if_in_order() -> None:
    numbers = list(range(1, 61))
    random.Random(7).shuffle(numbers)  # noqa: S311  an order, no secret
    batches = [sorted(numbers[first : first + 9]) for first in range(0, 60, 6)]
    made = sent_stamped(*batches)
    wanted = [f"line {number} of the node" for number in range(1, 61)]
    assert forward(made, count=11) == wanted
    assert backward(made, count=11) == wanted


@pytest.mark.django_db
def test_lines_that_retention_took_are_a_gap_with_their_numbers() -> None:
    made = sent_as_files(5)
    come_in(
        made.organization,
        made.cluster,
        [f"{make.AT + RAW:%Y-%m-%dT%H:%M:%S}+00:00 gpu001 kernel: young {n}" for n in range(3)],
        at=make.AT + RAW,
        stream="kernel",
        host="gpu001",
    )
    with organization_scope(made.organization.pk):
        LogChunk.objects.filter(first_number=1).delete()
    stream = made.stream()
    with organization_scope(made.organization.pk):
        page = held_logs.page_from(actor=made.actor, key=stream.key, number=2)
        back = held_logs.page_before(actor=made.actor, key=stream.key, number=9)
        extent = held_logs.extent_of(actor=made.actor, stream=stream)
    assert page.gaps == (LineGap(first=2, last=5),)
    assert [line.number for line in page.lines] == [6, 7, 8]
    assert back.gaps == (LineGap(first=1, last=5),)
    assert not back.has_older
    assert (extent.kept_lines, extent.gone_lines, extent.first_kept) == (3, 5, 6)


@pytest.mark.django_db
def test_a_log_of_which_nothing_is_kept_is_one_gap_and_no_silence() -> None:
    made = sent_as_files(5)
    with organization_scope(made.organization.pk):
        LogChunk.objects.all().delete()
    key = made.stream().key
    with organization_scope(made.organization.pk):
        page = held_logs.page_from(actor=made.actor, key=key, number=1)
        back = held_logs.page_before(actor=made.actor, key=key, number=6)
    for each in (page, back):
        assert (each.lines, each.gaps) == ((), (LineGap(first=1, last=5),))
    assert not page.has_newer
    assert not back.has_older


@pytest.mark.django_db
def test_a_line_is_shown_among_its_neighbours_with_what_it_prints() -> None:
    made = sent_as_files(30)
    key = made.stream().key
    with organization_scope(made.organization.pk):
        page = held_logs.page_around(actor=made.actor, key=key, number=12, count=10)
    assert [line.number for line in page.lines] == list(range(7, 17))
    assert all(one.number + 1 == other.number for one, other in pairwise(page.lines))
    assert page.lines[0].at is not None
    assert page.lines[0].at.second == 7


@pytest.mark.django_db
def test_a_page_ends_early_where_lines_are_very_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(line_pages, "MOST_LETTERS", 10_000)
    made = holder()
    lines = [f"{number} " + "x" * 6_000 for number in range(20)]
    come_in(made.organization, made.cluster, lines, at=make.AT, stream="kernel", host="gpu001")
    assert [text.split()[0] for text in forward(made, count=200)] == [str(n) for n in range(20)]
    assert [text.split()[0] for text in backward(made, count=200)] == [str(n) for n in range(20)]
    with organization_scope(made.organization.pk):
        page = held_logs.page_from(actor=made.actor, key=made.stream().key, number=1)
    assert len(page.lines) < 5
    assert all(line.is_cut for line in page.lines)


@pytest.mark.django_db
def test_nobody_else_finds_a_log_by_its_name() -> None:
    made, stranger = sent_as_files(3), holder()
    key = made.stream().key
    for actor, organization in ((stranger.actor, stranger.organization),):
        with organization_scope(organization.pk), pytest.raises(NotFound):
            held_logs.page_from(actor=actor, key=key, number=1)


@pytest.mark.django_db
@pytest.mark.parametrize(
    "key", ["", "LS-", "LS-zz", "LS-" + "g" * 16, "LS-" + "0" * 16, "LS-٣" * 4]
)
def test_no_name_is_no_log(key: str) -> None:
    made = sent_as_files(1)
    with organization_scope(made.organization.pk), pytest.raises(NotFound):
        held_logs.open_stream(actor=made.actor, key=key)
