"""What stands behind the question mark of lists: known, meant, in time."""

import base64
from typing import Any

import pytest

from apps.tenancy.credentials import seal
from apps.tenancy.models import MemberRole
from tests.cast.clients import Asking, member
from tests.cast.incidents import Cast, attempt_of, stop_of


@pytest.fixture
def asking(cast: Cast) -> Asking:
    """Ask as an admin of the tenant, who has an incident of 2026-11-21 02:00 UTC or later."""
    stop_of(cast, attempt_of(cast, cast.tenant))
    return member(cast.tenant, MemberRole.ADMIN)


def refused(answer: Any) -> dict[str, str]:
    """Return field → what is wrong with it."""
    assert answer.status_code == 400
    assert answer["Content-Type"] == "application/problem+json"
    return {each["field"]: each["detail"] for each in answer.json()["errors"]}


@pytest.mark.parametrize(
    "path", ["incidents/", "incidents/export", "warnings/", "nodes/", "sessions/", "sources/"]
)
def test_a_filter_that_is_not_there_is_refused_and_never_ignored(asking: Asking, path: str) -> None:
    assert asking.get(path).status_code == 200
    assert "no such parameter" in refused(asking.get(path, owner="me"))["owner"]


def test_lists_of_one_incident_refuse_unknown_filters_too(asking: Asking) -> None:
    (incident,) = asking.get("incidents/").json()["results"]
    for name in ("hypotheses", "timeline", "annotations", "feedback", "evidence"):
        path = f"incidents/{incident['id']}/{name}/"
        assert asking.get(path, limit="1").status_code == 200
        assert "no such parameter" in refused(asking.get(path, host="gpu001"))["host"]


@pytest.mark.parametrize(
    ("path", "given", "meant"),
    [
        ("incidents/", "layers", "layer"),
        ("incidents/export", "Since", "since"),
        ("nodes/", "clusters", "cluster"),
        ("clusters/", "page_limit", "limit"),
    ],
)
def test_what_was_probably_meant_is_said(asking: Asking, path: str, given: str, meant: str) -> None:
    said = refused(asking.get(path, **{given: "x"}))

    assert said[given].endswith(f"did you mean `{meant}`?")


@pytest.mark.parametrize("path", ["nodes/", "sessions/", "sources/", "warnings/"])
def test_a_mistyped_cluster_is_refused_with_ones_own(cast: Cast, asking: Asking, path: str) -> None:
    own = cast.cluster.slug

    said = refused(asking.get(path, cluster=own.replace("s", "", 1)))

    assert said["cluster"].endswith(f"of yours; did you mean `{own}`?")
    assert asking.get(path, cluster="elsewhere-entirely").json()["results"] == []


def test_a_filter_twice_is_refused(asking: Asking) -> None:
    assert refused(asking.get("incidents/", layer=["gpu", "host"])) == {"layer": "give it once"}


@pytest.mark.parametrize(
    "text",
    [
        *("yesterday", "2026-13-01T00:00:00Z", "2026-11-21T02:00:00 09:00"),
        *("9999-12-31T23:59:59-14:00", "0001-01-01T00:00:00+14:00", "", "2026-11-21T25:00Z"),
    ],
)
def test_a_moment_that_can_not_be_read_says_how_to_write_one(asking: Asking, text: str) -> None:
    assert "2026-11-21T02:00:00Z" in refused(asking.get("incidents/", since=text))["since"]


def test_moments_count_in_their_zone_and_without_one_in_utc(asking: Asking) -> None:
    (only,) = asking.get("incidents/").json()["results"]
    at = only["started_at"] or only["detected_at"]
    assert at.endswith("Z")
    bare, seoul = at.removesuffix("Z"), f"{at[:8]}{int(at[8:10]) + 1:02}{at[10:-1]}+09:00"
    told = {at: 1, bare: 1, f"{bare}+00:00": 1, at[:10]: 1, seoul: 0}
    for since, count in told.items():
        found = asking.get("incidents/", since=since).json()["results"]
        assert len(found) == count, since


def test_a_span_that_ends_before_it_begins_is_refused(asking: Asking) -> None:
    given = {"since": "2026-11-21T02:00:00Z", "until": "2026-11-21T02:00:00Z"}

    assert "later" in refused(asking.get("incidents/", **given))["until"]


@pytest.mark.parametrize(
    "cursor", ["", "x", "é", "bnVsbA==", "WzFd", "WyIiLCAxXQ==", "W1tdLCAxXQ=="]
)
def test_a_cursor_that_is_not_ours_is_refused(asking: Asking, cursor: str) -> None:
    assert refused(asking.get("incidents/", cursor=cursor)) == {"cursor": "start again without one"}


@pytest.mark.parametrize("words", ["", "x", "null", "[1]", '["", 1]', "[[], 1]", "[" * 300])
def test_a_cursor_of_ours_that_says_something_else_is_refused(asking: Asking, words: str) -> None:
    cursor = seal(secret=words).decode()
    assert refused(asking.get("incidents/", cursor=cursor)) == {"cursor": "start again without one"}


@pytest.mark.parametrize("limit", ["0", "-1", "1.5", "ten", "", "٣", "9" * 19])
def test_a_limit_that_is_no_number_is_refused(asking: Asking, limit: str) -> None:
    assert list(refused(asking.get("incidents/", limit=limit))) == ["limit"]


def test_a_cursor_tells_nobody_how_many_rows_others_have(asking: Asking, cast: Cast) -> None:
    stop_of(cast, attempt_of(cast, cast.tenant))
    first = asking.get("incidents/", limit="1").json()
    cursor = first["next_cursor"]
    told = base64.urlsafe_b64decode(cursor)
    assert first["results"][0]["started_at"][:10].encode() not in told

    second = asking.get("incidents/", limit="1", cursor=cursor).json()
    assert second["results"][0]["id"] != first["results"][0]["id"]
    changed = cursor[:30] + ("B" if cursor[30] == "A" else "A") + cursor[31:]
    assert refused(asking.get("incidents/", cursor=changed)) == {
        "cursor": "start again without one"
    }
