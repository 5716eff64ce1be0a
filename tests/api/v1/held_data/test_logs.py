"""Held logs over REST: pages, searches, and who is refused."""

import pytest

from apps.tenancy.models import TokenScope
from tests.apps.telemetry.held_logs.held import Holder, holder, sent_as_files
from tests.cast.clients import member, token


def numbers(answer: dict[str, list[dict[str, int]]]) -> list[int]:
    """Return the numbers of the lines of an answer."""
    return [each["number"] for each in answer["lines"]]


def key_of(made: Holder) -> str:
    """Return the name of the one log."""
    return made.stream().key


@pytest.mark.django_db
def test_logs_are_listed_and_say_how_much_is_kept() -> None:
    made = sent_as_files(8)
    asking = token(made.organization, TokenScope.READ)
    (row,) = asking.get("logs/").json()["results"]
    assert (row["host"], row["kind"], row["line_count"]) == ("gpu001", "kernel", 8)
    detail = asking.get(f"logs/{row['key']}/").json()
    assert detail["kept"]["kept_lines"] == 8
    assert asking.get("logs/", host="gpu002").json()["results"] == []
    assert asking.get("logs/", kind="karnel").status_code == 400


@pytest.mark.django_db
def test_pages_lead_to_each_other_until_there_is_no_more() -> None:
    made = sent_as_files(10, 15)
    asking, key = token(made.organization, TokenScope.READ), key_of(made)
    seen, start = [], 1
    while start:
        answer = asking.get(f"logs/{key}/lines/", **{"from": start}, limit=7).json()
        seen += numbers(answer)
        start = answer["newer_from"]
    assert seen == list(range(1, 26))
    newest = asking.get(f"logs/{key}/lines/", limit=3).json()
    assert (numbers(newest), newest["older_before"]) == ([23, 24, 25], 23)
    around = asking.get(f"logs/{key}/lines/", line=12, limit=4).json()
    assert numbers(around) == [10, 11, 12, 13]
    timed = asking.get(f"logs/{key}/lines/", at="2026-11-21T01:00:12Z", limit=2).json()
    assert numbers(timed) == [11, 12]


@pytest.mark.django_db
def test_search_answers_and_refuses() -> None:
    made = sent_as_files(10)
    asking, key = token(made.organization, TokenScope.READ), key_of(made)
    found = asking.get(f"logs/{key}/search/", q="line 4 of").json()
    assert (numbers(found), found["next_number"]) == ([4], None)
    back = asking.get(f"logs/{key}/search/", q=r"line \d of", mode="pattern", backward="true")
    assert numbers(back.json()) == list(range(1, 10))
    assert asking.get(f"logs/{key}/search/").status_code == 400
    assert asking.get(f"logs/{key}/search/", q="(", mode="pattern").status_code == 400
    assert asking.get(f"logs/{key}/search/", q="x", flags="i").status_code == 400


@pytest.mark.django_db
@pytest.mark.parametrize("rest", ["", "lines/", "search/?q=line"])
def test_others_and_tokens_without_the_scope_find_nothing(rest: str) -> None:
    made, stranger = sent_as_files(2), holder()
    key = key_of(made)
    assert token(made.organization, TokenScope.READ).get(f"logs/{key}/{rest}").status_code == 200
    assert token(made.organization, TokenScope.INGEST).get(f"logs/{key}/{rest}").status_code == 404
    assert token(made.organization, TokenScope.WRITE).get(f"logs/{key}/{rest}").status_code == 404
    assert token(stranger.organization).get(f"logs/{key}/{rest}").status_code == 404
    assert member(stranger.organization).get(f"logs/{key}/{rest}").status_code == 404


@pytest.mark.django_db
@pytest.mark.parametrize(
    "query", [{"from": 0}, {"before": "1e9"}, {"line": 2**70}, {"limit": 100_000}, {"at": "soon"}]
)
def test_what_no_place_is_is_refused(query: dict[str, object]) -> None:
    made = sent_as_files(2)
    asking = token(made.organization, TokenScope.READ)
    assert asking.get(f"logs/{key_of(made)}/lines/", **query).status_code == 400
