"""Many kinds of log fold by cluster; few don't."""

from django.template.loader import render_to_string

from apps.web.sources.folds import FOLDED_FROM, folds
from apps.web.sources.page import SourceRow


def _rows(count: int, *, cluster: str, state: str = "fresh") -> list[SourceRow]:
    return [
        SourceRow(
            name=f"log {n} of {cluster}",
            kind="pushed",
            state=state,
            state_text=state,
            amount="1 line",
            cluster=cluster,
        )
        for n in range(count)
    ]


def test_few_rows_are_not_folded() -> None:
    assert folds(rows=_rows(FOLDED_FROM - 1, cluster="a"), opened="") == ()


def test_a_fold_says_how_many_and_the_worst_state() -> None:
    rows = [
        *_rows(60, cluster="a"),
        *_rows(2, cluster="a", state="waiting"),
        *_rows(3, cluster="a", state="stale"),
        *_rows(55, cluster=""),
    ]

    first, ad_hoc = folds(rows=rows, opened="-")

    assert (first.amount, first.state, first.state_text) == ("65 kinds of log", "stale", "3 stale")
    assert (ad_hoc.key, ad_hoc.state_text) == ("-", "all fresh")
    assert (first.is_open, ad_hoc.is_open) == (False, True)


def test_only_the_open_fold_shows_its_rows_and_the_address_says_which() -> None:
    rows = [*_rows(60, cluster="a"), *_rows(60, cluster="b")]

    page = {"folds": folds(rows=rows, opened="b")}
    shown = render_to_string("web/sources/pushes.html", {"page": page})

    assert "log 0 of b" in shown
    assert "log 0 of a" not in shown
    assert 'href="?open=a#fold-a"' in shown
    assert 'href="?#fold-b"' in shown
