"""Somebody at the pages with nothing but a cookie jar: forms are fetched, filled in and sent."""

import re
from dataclasses import dataclass, field
from html import unescape

import requests

FORGERY = re.compile(r'name="csrfmiddlewaretoken" value="([^"]+)"')
SECONDS = 30


@dataclass
class Visitor:
    """One person's browser, without its window."""

    base: str
    jar: requests.Session = field(default_factory=requests.Session)

    def read(self, path: str) -> str:
        """Return a page's text."""
        answer = self.jar.get(self._url(path), timeout=SECONDS)
        assert answer.status_code == 200, (path, answer.status_code)
        return unescape(answer.text)

    def send(self, path: str, *, at: str = "", **values: str | list[str]) -> str:
        """Send a form that stands on the page `at` to `path`; return the page that follows."""
        page = self.jar.get(self._url(at or path), timeout=SECONDS)
        found = FORGERY.search(page.text)
        assert found, f"no form at {at or path}: {page.status_code}"
        answer = self.jar.post(
            self._url(path),
            data={"csrfmiddlewaretoken": found[1], **values},
            headers={"Referer": self._url(at or path)},
            timeout=SECONDS,
        )
        assert answer.status_code in {200, 201}, (path, answer.status_code)
        return unescape(answer.text)

    def _url(self, path: str) -> str:
        return path if path.startswith("http") else self.base + path
