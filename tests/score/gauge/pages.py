"""The text of a thread: of a page that was saved, or asked of the forge that has it."""

import json
import os
import re
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import requests

API = "https://api.github.com"
TOKEN = "GITHUB_TOKEN"  # noqa: S105  the name of a variable; without one, 60 questions an hour
TIMEOUT_S = 30
MOST_PAGES = 10  # of a hundred comments each
THREAD = re.compile(r"https://github\.com/(?P<repo>[^/]+/[^/]+)/(?P<kind>issues|pull)/(?P<no>\d+)")
TEXTS = ("title", "body")
BREAKS = frozenset({"br", "div", "li", "p", "pre", "td", "tr"})


class NotRead(Exception):
    """A page that can't be had, with the reason in plain words."""


class NotNow(NotRead):
    """No page can be had at present: asking for the next one would be in vain."""


def saved(*, folder: Path, case_id: str) -> str | None:
    """Return the text of a case's page in a folder; None: it isn't there; raise NotRead.

    A file is named after the case: `.json` as the forge's interface answers, `.html` as a browser
    saves it, or plain text.
    """
    for path in sorted(folder.glob(f"{case_id}.*")):
        if path.suffix in READERS:
            return READERS[path.suffix](path.read_text("utf-8", errors="replace"))
    return None


def asked(*, source: str, api: str = API) -> str:
    """Return a thread as its forge answers, a JSON text for `saved`; raise NotRead or NotNow."""
    thread = THREAD.fullmatch(source)
    if thread is None:
        raise NotRead("no address of a thread that can be asked for: save its page")
    at = f"{api}/repos/{thread['repo']}"
    parts = [_answer(f"{at}/issues/{thread['no']}")]
    parts.extend(_every(f"{at}/issues/{thread['no']}/comments"))
    if thread["kind"] == "pull":
        parts.extend(_every(f"{at}/pulls/{thread['no']}/comments"))
    return json.dumps(parts, ensure_ascii=False)


def _every(address: str) -> Iterator[Any]:
    for page in range(1, MOST_PAGES + 1):
        found = _answer(f"{address}?per_page=100&page={page}")
        yield from found
        if len(found) < 100:
            return


def _answer(address: str) -> Any:
    token = os.environ.get(TOKEN)
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    try:
        answer = requests.get(address, headers=headers, timeout=TIMEOUT_S)
    except requests.RequestException as error:
        raise NotNow(f"no answer ({type(error).__name__})") from error
    if answer.status_code in {403, 429}:
        raise NotNow(f"asked too often: again in an hour, or with a token in {TOKEN}")
    if answer.status_code != 200:
        raise NotRead(f"answered {answer.status_code}")
    return answer.json()


def _of_json(text: str) -> str:
    try:
        return "\n".join(_texts(json.loads(text)))
    except ValueError as error:
        raise NotRead("the page is no JSON") from error


def _texts(value: Any) -> Iterator[str]:
    """Yield titles and bodies of a thread, wherever they stand."""
    if isinstance(value, list):
        for each in value:
            yield from _texts(each)
    elif isinstance(value, dict):
        yield from (value[name] for name in TEXTS if isinstance(value.get(name), str))
        yield from _texts([each for each in value.values() if isinstance(each, dict | list)])


class _Words(HTMLParser):
    """What a page shows, with a line's end where it shows one."""

    def __init__(self) -> None:
        super().__init__()
        self.words: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        del attrs
        if tag in BREAKS:
            self.words.append("\n")

    def handle_endtag(self, tag: str) -> None:
        if tag in BREAKS:
            self.words.append("\n")

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def _of_html(text: str) -> str:
    reader = _Words()
    reader.feed(text)
    return "".join(reader.words)


READERS: dict[str, Callable[[str], str]] = {
    ".json": _of_json,
    ".html": _of_html,
    ".htm": _of_html,
    ".md": str,
    ".txt": str,
}
