"""`python -m tests.pictures [page …]`: picture the pages of the running demo into docs/img.

`make demo` runs beside it. Each page is pictured light and dark, in Korean, and as wide as a phone.
What a page complains of, and what is wider than the screen, is printed and leaves with 1.
"""

import base64
import json
import os
import shutil
import sys
from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from playwright.sync_api import Browser, Page, sync_playwright

from tests.pictures.pages import PAGES, PicturedPage
from tests.pictures.prepare import prepare
from tests.pictures.views import ENDING, VIEWS, View

ROOT: Final = Path(__file__).parents[2]
IMAGES: Final = ROOT / "docs" / "img"
FLAGS: Final = ("--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu")
TALLEST: Final = 1100  # pixels: what is below is more of the same
HEIGHT: Final = 900
WIDE: Final = 1000
SCALE: Final = 0.75  # as wide as a page of documentation shows it
QUALITY: Final = 30
SETTLES: Final = 1200  # milliseconds: charts come with the first look


def main(arguments: Sequence[str] | None = None) -> int:
    """Picture what is asked for; leave with 1 where a page complained."""
    parser = ArgumentParser(prog="tests.pictures", description=__doc__)
    parser.add_argument("pages", nargs="*", help="names of pages, all if none is named")
    names = [each.name for each in VIEWS]
    parser.add_argument("--view", choices=names, action="append", help="all if none is named")
    parser.add_argument("--demo", type=Path, default=ROOT / "var" / "demo.json")
    parser.add_argument("--into", type=Path, default=IMAGES)
    options = parser.parse_args(arguments)
    demo = json.loads(options.demo.read_text(encoding="utf-8"))
    wanted = [each for each in PAGES if not options.pages or each.name in options.pages]
    options.into.mkdir(parents=True, exist_ok=True)
    path = os.environ.get("CHROMIUM") or shutil.which("chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=[*FLAGS])
        views = [each for each in VIEWS if not options.view or each.name in options.view]
        for who in dict.fromkeys(each.who for each in wanted):
            page = _signed_in(browser, demo, who, VIEWS[0], [])
            prepare(page, f"{demo['base_url']}/o/{who}/")
            page.context.close()
        found = list(_pictures(browser, demo, pages=wanted, views=views, into=options.into))
        browser.close()
    print("\n".join(found) or f"{len(wanted)} pages, no complaint")  # noqa: T201  a command
    return 1 if found else 0


def _pictures(
    browser: Browser, demo: Any, *, pages: Sequence[PicturedPage], views: Sequence[View], into: Path
) -> Iterator[str]:
    """Picture the pages; yield what they complained of."""
    for view in views:
        for who in dict.fromkeys(each.who for each in pages):
            complaints: list[str] = []
            page = _signed_in(browser, demo, who, view, complaints)
            for each in pages:
                if each.who == who:
                    yield from _picture(page, demo["base_url"], each, view, into)
                    yield from (f"{each.name} {view.name}: {told}" for told in complaints)
                    complaints.clear()
            page.context.close()


def _signed_in(browser: Browser, demo: Any, who: str, view: View, complaints: list[str]) -> Page:
    login = next(each for each in demo["organizations"] if each["slug"] == who)
    context = browser.new_context(
        viewport={"width": view.width, "height": HEIGHT},
        color_scheme="dark" if view.scheme == "dark" else "light",
        locale=view.language,
    )
    page = context.new_page()
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda told: complaints.append(told.text) if told.type == "error" else None)
    page.goto(f"{demo['base_url']}/sign-in/")
    page.locator("input[name=username]").fill(login["user"])
    page.locator("input[name=password]").fill(login["password"])
    page.locator("form:has(input[name=password]) button[type=submit]").click()
    page.wait_for_url("**/o/**")
    return page


def _picture(page: Page, base: str, each: PicturedPage, view: View, into: Path) -> Iterator[str]:
    page.goto(f"{base}/o/{each.who}/{each.path}")
    for part in each.follow:
        link = page.locator(f"main a[href*='{part}']:not([href*='/api/'])").first
        if not link.count():
            yield f"{each.name} {view.name}: no link to {part} on {page.url}"
            return
        page.goto(f"{base}{link.get_attribute('href')}")
    page.wait_for_timeout(SETTLES)
    width, height = page.evaluate(
        "() => [document.documentElement.scrollWidth, document.documentElement.scrollHeight]"
    )
    if width > view.width:
        yield f"{each.name} {view.name}: {width} pixels wide, the screen has {view.width}"
    (into / f"{each.name}-{view.name}{ENDING}").write_bytes(_pixels(page, view, height))


def _pixels(page: Page, view: View, height: int) -> bytes:
    """Return the page from its top as WebP, which Chromium writes if asked directly."""
    size = {"width": view.width, "height": min(height, TALLEST)}
    # A bar that sticks to the screen's end stands at the picture's end.
    page.set_viewport_size({"width": size["width"], "height": size["height"]})
    session = page.context.new_cdp_session(page)
    scale = SCALE if view.width > WIDE else 1
    clip = {"x": 0, "y": 0, **size, "scale": scale}
    told = session.send(
        "Page.captureScreenshot", {"format": "webp", "quality": QUALITY, "clip": clip}
    )
    session.detach()
    page.set_viewport_size({"width": view.width, "height": HEIGHT})
    return base64.b64decode(told["data"])


if __name__ == "__main__":
    sys.exit(main())
