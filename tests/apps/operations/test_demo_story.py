"""What demo-check looks for beside verdicts, and how it follows links."""

from typing import Any

import pytest
import requests

from apps.operations.demo_pages import NotSignedIn, PartyPages
from apps.operations.demo_story import clicks_to, links, story_pieces

FORM = b'<input type="hidden" name="csrfmiddlewaretoken" value="secret">'
PAGES = {
    "/o/a/": '<a class="x"\n href="/o/a/sessions/">All</a> <a href="/o/b/">B</a>',
    "/o/a/sessions/": '<a href="S-1/?a=1&amp;b=2#top">one</a> <a href="https://else.example/x">',
    "/o/b/": '<a href="/o/a/nodes/x/">',
    "/o/a/sessions/S-1/": '<a href="/o/a/deep/">',
}


def _truth(scenario: str, session: str, **more: Any) -> dict[str, Any]:
    told = {"scenario": scenario, "session": session, "organization": "northwind", "live": False}
    return told | {"culprits": [{"host": "gpu017"}], "survived": None} | more


def _read(path: str) -> str:
    return PAGES.get(path, "")


@pytest.mark.parametrize(
    ("path", "clicks"),
    [
        ("/o/a/sessions/", 1),
        ("/o/a/sessions/S-1/", 2),
        ("/o/a/deep/", None),  # three
        ("/o/a/nodes/x/", None),  # by way of another organization alone
        ("/x", None),  # of another portal
    ],
)
def test_links_are_followed_twice_within_one_organization(path: str, clicks: int | None) -> None:
    assert clicks_to(path=path, home="/o/a/", read=_read) == clicks


def test_links_are_paths_each_once() -> None:
    page = '<a href="?page=2">x</a><a href="/o/a/">y</a><a href="#z">z</a><link href="/css">'
    assert links(page, base="/o/a/") == ["/o/a/"]


def test_pieces_follow_from_the_ledger() -> None:
    truths = [
        _truth("xid79-pcie", "solar-1"),
        _truth("port-flap", "solar-1"),
        _truth("host-oom", "solar-1"),
        _truth("replica-lost", "rl-1", survived={"state": "degraded"}),
        _truth("thermal-straggler", "vl-1", organization="lumen"),
        _truth("earlier-ecc94", "sweep-1", culprits=[{"host": "gpu021"}]),
        _truth("live", "pro-1", live=True, culprits=[{"host": "gpu046"}]),
    ]
    ids = {"northwind": {"solar-1": "S-A", "rl-1": "S-B"}, "lumen": {}}
    found = story_pieces(truths=truths, sessions=ids, cluster="m")
    assert [(each.name, each.path) for each in found] == [
        ("retry chain", "/o/northwind/sessions/S-A/"),
        ("job that recovers in place", "/o/northwind/sessions/S-B/"),
        ("straggler", "/o/lumen/sessions/unknown/"),
        ("lemon", "/o/aurora/nodes/m/gpu021/"),
        ("excluded node", "/o/aurora/nodes/m/gpu046/"),
        ("slot-bound checkpoint", "/o/strata/storage-path/"),
        ("slot-bound checkpoint", "/o/northwind/storage-path/"),
    ]


class _Portal(requests.Session):
    """A portal that lets in whoever sends its form's token, and counts what is asked."""

    def __init__(self, *, lands_at: str) -> None:
        super().__init__()
        self.lands_at = lands_at
        self.calls: list[tuple[str, object]] = []

    def request(self, method: Any, url: Any, *_: Any, **more: Any) -> requests.Response:
        """Answer a form, a home page or where somebody lands."""
        self.calls.append((f"{method} {url}", more.get("data")))
        answer = requests.Response()
        answer.status_code, answer.url = 200, str(url)
        answer.headers["Content-Type"] = "text/html; charset=utf-8"
        is_form = url.endswith("/sign-in/")
        answer._content = FORM if is_form else b"home"
        if method == "POST":
            answer.url = "http://p.example" + self.lands_at
        return answer


def test_a_person_signs_in_and_reads_each_page_once() -> None:
    portal = _Portal(lands_at="/o/a/")
    reader = PartyPages(base_url="http://p.example", session=portal)
    reader.sign_in(user="a", password="b")  # noqa: S106  of nobody
    assert [reader.read("/o/a/"), reader.read("/o/a/")] == ["home", "home"]
    form = {"username": "a", "password": "b", "next": "", "csrfmiddlewaretoken": "secret"}
    assert portal.calls[1] == ("POST http://p.example/sign-in/", form)
    assert len(portal.calls) == 3


def test_who_is_not_let_in_is_named() -> None:
    portal = _Portal(lands_at="/sign-in/")
    reader = PartyPages(base_url="http://p.example", session=portal)
    with pytest.raises(NotSignedIn, match="a can't sign in"):
        reader.sign_in(user="a", password="b")  # noqa: S106  of nobody
