"""A real browser against the pages. A violated content security policy fails the test."""

import os
import shutil
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.db import connections
from django.utils import timezone
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, sync_playwright
from pytest_django.live_server_helper import LiveServer

from tests.cast import make

FLAGS = [
    "--no-sandbox",
    "--disable-dev-shm-usage",
    "--disable-gpu",
    "--disable-background-networking",
    "--no-first-run",
]
NAMES = ("chromium", "chromium-browser", "google-chrome")
MISSING = "no Chromium on this machine: install the package chromium, or name it in CHROMIUM"
OpenPage = Callable[..., Page]


@pytest.fixture(scope="session")
def chromium_path() -> str:
    """Return the browser of this machine, or skip and say how to get one."""
    named = os.environ.get("CHROMIUM")
    found = named or next((path for name in NAMES if (path := shutil.which(name))), None)
    if found is None:
        pytest.skip(MISSING)
    return found


@pytest.fixture(scope="session")
def live_server(django_db_setup: None) -> Iterator[LiveServer]:
    """Serve the pages; stopped before the database goes."""
    server = LiveServer("127.0.0.1")
    yield server
    server.stop()


@pytest.fixture(scope="package")
def chromium(chromium_path: str, django_db_setup: None) -> Iterator[Browser]:
    """Run one browser for all these tests: each has a context, thus cookies, of its own."""
    # Playwright keeps an event loop in this thread; the tests speak to the database in it.
    with pytest.MonkeyPatch.context() as allowing, sync_playwright() as playwright:
        allowing.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "1")
        browser = playwright.chromium.launch(executable_path=chromium_path, args=FLAGS)
        yield browser
        browser.close()
        # Opened beside that loop, they belong to it: nobody else could close them later.
        connections.close_all()


@pytest.fixture
def open_page(chromium: Browser) -> Iterator[OpenPage]:
    """Return a way to open a page of some width; afterwards nobody may have complained."""
    complaints: list[str] = []
    contexts: list[BrowserContext] = []

    was_left = False

    def heard(message: ConsoleMessage) -> None:
        # A page that is left before its answer: whatever a server refuses is heard of by itself.
        nonlocal was_left
        is_left = message.text.startswith(("htmx:afterRequest", "htmx:sendError"))
        is_left |= was_left and message.text == "undefined"  # of the same, what was thrown
        if message.type == "error" and not is_left:
            complaints.append(message.text)
        was_left = is_left

    def heard_apart_from_loading(message: ConsoleMessage) -> None:
        if not message.text.startswith("Failed to load resource"):
            heard(message)

    def opened(*, width: int = 1440, loads_all: bool = True, **options: Any) -> Page:
        context = chromium.new_context(viewport={"width": width, "height": 900}, **options)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(20_000)
        # Elsewhere, and on a page that says no, something is not loaded; the rest still counts.
        page.on("console", heard if loads_all else heard_apart_from_loading)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        return page

    yield opened
    for context in contexts:
        context.close()
    assert complaints == []


@pytest.fixture
def lately(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let what the cast tells of be of today: a browser's clock is the machine's."""
    now = timezone.now()  # noqa: TID251  that clock
    monkeypatch.setattr(
        make, "AT", now.replace(minute=0, second=0, microsecond=0) - timedelta(hours=1)
    )
