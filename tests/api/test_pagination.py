"""Pages of a list by cursor: what a cursor may say, and where a list ends."""

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime

import pytest
from django.db.models import Q
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.test import APIRequestFactory

from apps.api.pagination import (
    BY_NAME,
    NEWEST_MADE,
    RowOrder,
    limit_of,
    page_of_items,
    page_of_rows,
)
from apps.tenancy.credentials import seal

AT = datetime(2026, 11, 21, 2, tzinfo=UTC)


@dataclass(frozen=True)
class NamedRow:
    """A row of a list by name."""

    id: int
    name: str


@dataclass
class RowsOfList:
    """Rows that remember which part was asked for."""

    rows: list[NamedRow]
    asked: list[Q] = field(default_factory=list)

    def filter(self, condition: Q, /) -> "RowsOfList":
        """Return the rows, whatever the condition."""
        self.asked.append(condition)
        return self

    def __getitem__(self, span: slice, /) -> Iterable[NamedRow]:
        """Return a part of them."""
        return self.rows[span]


TWO_ROWS = [NamedRow(id=7, name="a"), NamedRow(id=8, name="b")]


def request(**query: str) -> Request:
    """Return a request with this query."""
    return Request(APIRequestFactory().get("/list/", query))


def at(*said: object) -> Request:
    """Return a request with a cursor of ours that says this."""
    return request(cursor=seal(secret=json.dumps(said)).decode())


@pytest.mark.parametrize("count", [1, 2])
def test_a_list_that_fills_its_page_ends_there(count: int) -> None:
    page = page_of_items(items=range(count), request=request(limit="2"))
    assert (list(page.results), page.next, page.next_cursor) == ([*range(count)], None, None)


def test_one_item_more_stands_on_a_page_of_its_own() -> None:
    first = page_of_items(items=range(3), request=request(limit="2"))
    second = page_of_items(
        items=range(3), request=request(limit="2", cursor=str(first.next_cursor))
    )
    assert [list(each.results) for each in (first, second)] == [[0, 1], [2]]
    assert [each.next is None for each in (first, second)] == [False, True]


def test_rows_that_fill_their_page_end_there_and_one_more_is_found_behind_the_last() -> None:
    whole = page_of_rows(rows=RowsOfList(TWO_ROWS), order=BY_NAME, request=request(limit="2"))
    assert (list(whole.results), whole.next) == (TWO_ROWS, None)

    first = page_of_rows(rows=RowsOfList(TWO_ROWS), order=BY_NAME, request=request(limit="1"))
    behind = RowsOfList(TWO_ROWS[1:])
    page_of_rows(rows=behind, order=BY_NAME, request=request(cursor=str(first.next_cursor)))
    assert behind.asked == [BY_NAME.after(("a", 7))]


@pytest.mark.parametrize("key", [0, 2**63 - 1])
def test_a_cursor_may_name_any_row_a_table_can_hold(key: int) -> None:
    rows = RowsOfList([])
    page_of_rows(rows=rows, order=BY_NAME, request=at("a", key))
    assert rows.asked == [BY_NAME.after(("a", key))]


@pytest.mark.parametrize(
    ("order", "said"),
    [
        *((BY_NAME, said) for said in [(), ("a",), ("a", 1, 1), ("a", "1"), ("a", True)]),
        *((BY_NAME, said) for said in [("a", 2**63), ("a", -(2**63)), (1, 1), ("a\0", 1)]),
        *((NEWEST_MADE, said) for said in [("a", 1), (None, 1), ("2026-11-21T02:00:00", 1)]),
    ],
)
def test_a_cursor_that_names_no_row_is_refused(order: RowOrder, said: tuple[object, ...]) -> None:
    with pytest.raises(ValidationError):
        page_of_rows(rows=RowsOfList(TWO_ROWS), order=order, request=at(*said))


def test_a_moment_in_a_cursor_is_the_moment_it_was_made_of() -> None:
    rows = RowsOfList([])
    page_of_rows(rows=rows, order=NEWEST_MADE, request=at(AT.isoformat(), 1))
    assert rows.asked == [NEWEST_MADE.after((AT, 1))]


@pytest.mark.parametrize("said", [(), (1, 2), ("1",), (True,), (-1,)])
def test_a_cursor_that_counts_no_items_is_refused(said: tuple[object, ...]) -> None:
    with pytest.raises(ValidationError):
        page_of_items(items=range(3), request=at(*said))


def test_a_cursor_may_count_from_the_start_and_beyond_the_end() -> None:
    starts = [page_of_items(items=range(3), request=at(start)) for start in (0, 2, 9)]
    assert [list(each.results) for each in starts] == [[0, 1, 2], [2], []]


@pytest.mark.parametrize("words", ['{"0": 1}', '"a"', "1", "null"])
def test_a_cursor_that_is_no_list_is_refused(words: str) -> None:
    with pytest.raises(ValidationError):
        page_of_items(items=range(3), request=request(cursor=seal(secret=words).decode()))


@pytest.mark.parametrize(("said", "limit"), [("1", 1), ("200", 200), ("201", 200)])
def test_more_than_is_served_at_once_is_cut_to_it(said: str, limit: int) -> None:
    assert limit_of(request(limit=said)) == limit
    assert limit_of(request()) == 50


def test_no_items_at_all_are_no_page() -> None:
    with pytest.raises(ValidationError):
        limit_of(request(limit="0"))
