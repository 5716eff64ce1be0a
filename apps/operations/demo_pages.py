"""The demo's pages as a person of one organization gets them, signed in by password."""

import re
from dataclasses import dataclass, field
from typing import Final

import requests

TOKEN: Final = re.compile(r"name=\"csrfmiddlewaretoken\" value=\"([^\"]+)\"")
TIMEOUT_SECONDS: Final = 30


class NotSignedIn(Exception):
    """The portal did not take a user's password."""


@dataclass(slots=True, kw_only=True)
class PartyPages:
    """One signed-in person; each page is asked for once."""

    base_url: str
    session: requests.Session = field(default_factory=requests.Session)
    pages: dict[str, str] = field(default_factory=dict)

    def sign_in(self, *, user: str, password: str) -> None:
        """Sign in; raises NotSignedIn, requests.RequestException."""
        address = f"{self.base_url}/sign-in/"
        form = self.session.get(address, timeout=TIMEOUT_SECONDS)
        found = TOKEN.search(form.text)
        values = {"username": user, "password": password, "next": ""}
        answer = self.session.post(
            address,
            data=values | {"csrfmiddlewaretoken": found[1] if found else ""},
            headers={"Referer": address},
            timeout=TIMEOUT_SECONDS,
        )
        if not answer.ok or answer.url == address:
            raise NotSignedIn(f"{user} can't sign in at {address}: {answer.status_code}")

    def read(self, path: str) -> str:
        """Return a page; empty where it is not there or no page."""
        if path not in self.pages:
            answer = self.session.get(self.base_url + path, timeout=TIMEOUT_SECONDS)
            is_page = answer.ok and answer.headers.get("Content-Type", "").startswith("text/html")
            self.pages[path] = answer.text if is_page else ""
        return self.pages[path]
