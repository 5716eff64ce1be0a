"""The gauge's texts are found again on their threads' pages, and only as they were labelled."""

import json
import re
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from tests.score.gauge import card, collect, pages
from tests.score.gauge.excerpts import EXCERPTS, Excerpt, Page, piece_of, read_excerpts, rebuilt
from tests.score.gauge.labels import GaugeLabel, digest, read_labels

WARNED = "node7:41:99 [2] NCCL WARN Call to connect returned Connection refused"
LOGS: card.Logs = [
    {"stream": "session", "host": "node7", "rank": 2, "text": f"{WARNED}\n  -> 2 "},
    {"stream": None, "host": None, "rank": None, "text": "No route to host"},
]
BODY = f"Our job died:\r\n```\r\n{WARNED}\r\n  -> 2 \r\n```\r\nand `No route to host` elsewhere"
THREAD = "https://github.com/an-owner/a-repository"
LABEL = GaugeLabel(
    id="case-0", source=f"{THREAD}/pull/7", case={}, sha256=digest(logs=LOGS), batch="second"
)


def _excerpts() -> list[Excerpt]:
    return [
        Excerpt(
            stream=log["stream"],
            host=piece_of(log["host"]) if log["host"] else None,
            rank=log["rank"],
            lines=tuple(piece_of(line) for line in log["text"].split("\n")),
        )
        for log in LOGS
    ]


def test_a_text_is_found_again_line_by_line_and_within_a_line() -> None:
    """With the spaces at the ends of its lines, on a page with another's line ends."""
    assert rebuilt(excerpts=_excerpts(), page=Page(BODY)) == (LOGS, 0)


def test_what_a_page_lacks_is_counted() -> None:
    """A line that was edited away, and a host that nobody names."""
    page = Page("  -> 2 \nNo route to host")
    assert rebuilt(excerpts=_excerpts(), page=page)[1] == 2


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("case-0.json", json.dumps([{"title": "died", "comments": [{"body": BODY}]}])),
        ("case-0.html", f"<p>Our job</p><pre>{WARNED}\n  -&gt; 2 </pre>No route to host<br>"),
        ("case-0.txt", BODY),
    ],
)
def test_a_saved_page_of_each_kind_is_read(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    assert _collected(tmp_path).logs == LOGS


def test_each_reason_for_a_missing_text_is_said(tmp_path: Path) -> None:
    """No text is taken that isn't the one its label was made of."""
    assert _collected(tmp_path, excerpts=None).missing == collect.UNKNOWN_LINES
    assert _collected(tmp_path).missing == collect.NO_PAGE
    (tmp_path / "case-0.txt").write_text("edited", encoding="utf-8")
    assert _collected(tmp_path).missing == "the page lacks 4 of its lines"
    (tmp_path / "case-0.txt").write_text(BODY, encoding="utf-8")
    assert _collected(tmp_path, excerpts=_excerpts()[:1]).missing == "not as labelled"
    (tmp_path / "case-0.json").write_text("<html>", encoding="utf-8")
    assert _collected(tmp_path).missing == "the page is no JSON"


def _collected(folder: Path, *, excerpts: list[Excerpt] | str | None = "all") -> collect.Found:
    mine = _excerpts() if isinstance(excerpts, str) else excerpts
    return collect.collected(label=LABEL, excerpts=mine, folder=folder, may_ask=False)


class _Forge(BaseHTTPRequestHandler):
    """A forge with one thread, whose text stands in the second page of its comments."""

    def do_GET(self) -> None:
        repository = "/repos/an-owner/a-repository"
        parts: dict[str, object] = {
            f"{repository}/issues/7": {"title": "died", "body": None},
            f"{repository}/issues/7/comments?per_page=100&page=1": [{"body": "me, too"}] * 100,
            f"{repository}/issues/7/comments?per_page=100&page=2": [{"body": BODY}],
            f"{repository}/pulls/7/comments?per_page=100&page=1": [],
        }
        self.send_response(200 if self.path in parts else 403)
        self.end_headers()
        self.wfile.write(json.dumps(parts.get(self.path)).encode())

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  its name upstream
        """Say nothing."""


@pytest.fixture
def forge() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), _Forge) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def test_a_thread_is_asked_for_with_all_of_its_comments(forge: str, tmp_path: Path) -> None:
    text = pages.asked(source=LABEL.source, api=forge)
    (tmp_path / "case-0.json").write_text(text, encoding="utf-8")
    assert _collected(tmp_path).logs == LOGS


def test_a_refusal_is_said_in_plain_words(forge: str) -> None:
    with pytest.raises(pages.NotNow, match="asked too often"):
        pages.asked(source=f"{THREAD}/issues/8", api=forge)
    with pytest.raises(pages.NotRead, match="save its page"):
        pages.asked(source="https://forum.example/t/7")


def test_the_command_keeps_what_was_there_and_says_what_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A second run finds the texts of the first one, without a page; no text is printed."""
    other = GaugeLabel(id="case-3", source=LABEL.source, case={}, sha256="", batch="first")
    monkeypatch.setenv(card.FOLDER, str(tmp_path / "texts"))
    monkeypatch.setattr(collect, "read_labels", lambda: [LABEL, other])
    monkeypatch.setattr(collect, "read_excerpts", lambda: {"case-0": _excerpts()})
    (tmp_path / "case-0.txt").write_text(BODY, encoding="utf-8")
    for _run in range(2):
        assert collect.main(["--pages", str(tmp_path)]) == 1
        (tmp_path / "case-0.txt").unlink(missing_ok=True)
        assert capsys.readouterr().out.splitlines() == [
            f"case-3: {collect.UNKNOWN_LINES}",
            "second batch: 1 of 1 texts",
            "first batch: 0 of 1 texts",
            "absent: 1 texts",
        ]
    assert card.read_texts(folder=tmp_path / "texts") == {"case-0": LOGS}


def test_after_a_refusal_no_other_page_is_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The one that was refused says why; the next one is a page that isn't there."""
    asked: list[str] = []

    def refused(*, source: str) -> str:
        asked.append(source)
        raise pages.NotNow("asked too often")

    second = GaugeLabel(id="case-3", source=LABEL.source, case={}, sha256="", batch="second")
    monkeypatch.setenv(card.FOLDER, str(tmp_path / "texts"))
    monkeypatch.setattr(collect, "read_labels", lambda: [LABEL, second])
    monkeypatch.setattr(collect, "read_excerpts", lambda: {"case-0": [], "case-3": []})
    monkeypatch.setattr(pages, "asked", refused)
    assert collect.main(["--pages", str(tmp_path), "--fetch"]) == 1
    assert asked == [LABEL.source]
    said = capsys.readouterr().out.splitlines()
    assert said[:2] == ["case-0: asked too often", f"case-3: {collect.NO_PAGE}"]


def test_excerpts_hold_digests_of_known_cases_and_no_text() -> None:
    """A word of a log in this file would be somebody else's text in the repository."""
    for line in EXCERPTS.read_text(encoding="utf-8").splitlines()[1:]:
        assert re.fullmatch(
            r"[a-z0-9-]+,\d+,(session|kernel|scheduler)?,([0-9a-f]{12}/\d+)?,\d*,"
            r"[0-9a-f]{12}/\d+( [0-9a-f]{12}/\d+)*",
            line,
        )
    known = {one.id: one.batch for one in read_labels()}
    excerpts = read_excerpts()
    assert excerpts.keys() <= known.keys()
    assert {name for name, batch in known.items() if batch == "second"} <= excerpts.keys()
