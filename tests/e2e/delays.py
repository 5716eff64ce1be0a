"""How long another party's page takes to show an act: printed, for `python -m tests.bench live`."""

from collections.abc import Sequence
from time import monotonic

from playwright.sync_api import Page


def print_delays(delays: Sequence[float], page: Page) -> None:
    """Print the seconds from clicks to pages, and what fetching that page takes beside them."""
    began = monotonic()
    page.evaluate("fetch(location.href).then((answer) => answer.text())")
    fetched = monotonic() - began
    shown = " ".join(f"{seconds:.3f}" for seconds in delays)
    print(f"live, seconds: {shown}; a page: {fetched:.3f}")  # noqa: T201  what is measured
