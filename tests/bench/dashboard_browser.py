"""What a page costs in a browser: largest paint, long tasks, bytes, and what input takes."""

import statistics
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from playwright.sync_api import Browser, BrowserContext, Page, TimeoutError  # noqa: A004  its own

# The page is watched from its first instant on, as its own scripts could.
WATCH: Final = """
window.__lcp = 0; window.__tasks = [];
const watch = (type, note) => new PerformanceObserver(
  (list) => list.getEntries().forEach(note)).observe({ type, buffered: true });
watch('largest-contentful-paint', (each) => { window.__lcp = each.startTime; });
watch('longtask', (each) => window.__tasks.push(each.duration));
addEventListener('pointerup', () => {
  sessionStorage.setItem('input', performance.timeOrigin + performance.now());
}, { capture: true });
"""
# In a new document it stands with its first paint, which is noted a little later.
PAINTED: Final = """() => {
  const paint = performance.getEntriesByName('first-contentful-paint')[0];
  const input = Number(sessionStorage.getItem('input'));
  if (performance.timeOrigin < input) return [input, 0];
  return paint && [input, performance.timeOrigin + paint.startTime];
}"""
# Down the page by half screens, so that whatever is drawn when it comes near is drawn.
SCROLL: Final = """async () => {
  const pause = (time) => new Promise((done) => setTimeout(done, time));
  for (let y = 0; y < document.documentElement.scrollHeight; y += innerHeight / 2) {
    scrollTo(0, y); await pause(100);
  }
}"""
SETTLE_MS: Final = 1_500
QUIET_MS: Final = 500
DRAWN_MS: Final = 4_000
SCROLLS: Final = 5
REST_MS: Final = 200
NOWHERE: Final = "about:blank"
Act = Callable[[Page], float]  # an open page → milliseconds from the input to what it asked for


@dataclass(slots=True, kw_only=True)
class Looks:
    """What several visits took; times in milliseconds, sizes in bytes as they were sent."""

    paints: list[float] = field(default_factory=list)
    longest: list[float] = field(default_factory=list)
    sent: list[float] = field(default_factory=list)
    drawn: list[float] = field(default_factory=list)  # charts with lines, after scrolling
    answers: dict[str, list[float]] = field(default_factory=dict)  # by input

    def medians(self) -> dict[str, float]:
        """Return what two pages can be compared by: its name → milliseconds or kB."""
        found = {
            "LCP": statistics.median(self.paints),
            "longest task": statistics.median(self.longest),
            "bytes": statistics.median(self.sent) / 1000,
        }
        return found | {name: statistics.median(times) for name, times in self.answers.items()}

    def lines(self, name: str) -> list[str]:
        """Return the figures in words."""
        at = self.medians()
        told = (
            f"dashboards, {name}: LCP median {at['LCP']:.0f} ms, worst {max(self.paints):.0f};"
            f" longest task median {at['longest task']:.0f} ms, worst {max(self.longest):.0f};"
            f" {at['bytes']:.0f} kB cold; {min(self.drawn):.0f} charts drawn;"
            f" n = {len(self.paints)}"
        )
        return [told, *(said(f"{name}, {act}", times) for act, times in self.answers.items())]


@dataclass(slots=True, kw_only=True)
class Dashboard:
    """A page that is measured, in a context of its own.

    `drawn` is an expression of the page's own: how many of its charts show lines. `acts` are
    what one may do on the page once it stands.
    """

    name: str
    url: str
    context: BrowserContext
    drawn: str
    charts: int
    rest: Callable[[Page], None] | None = None  # what opening the address leaves to do
    acts: dict[str, Act] = field(default_factory=dict)
    looks: Looks = field(default_factory=Looks)

    def first_visit(self) -> None:
        """Open the page cold, scroll through it, and note how many bytes, headers too, it took."""
        page = self.context.new_page()
        sizes: list[float] = []
        session = page.context.new_cdp_session(page)
        session.send("Network.enable")
        session.on("Network.loadingFinished", lambda told: sizes.append(told["encodedDataLength"]))
        self._open(page)
        page.evaluate(SCROLL)
        page.wait_for_timeout(SETTLE_MS)
        session.detach()
        self.looks.sent.append(sum(sizes))
        page.close()

    def _open(self, page: Page) -> None:
        page.goto(self.url, wait_until="load")
        if self.rest:
            self.rest(page)
        page.wait_for_timeout(SETTLE_MS)

    def visit(self) -> None:
        """Open the page, scroll through it, then do each of its acts on it opened anew.

        Raises:
            NotDrawn: it shows fewer charts than it has, so that nothing of it is a figure.
        """
        page = self.context.new_page()
        self._open(page)
        paint = float(page.evaluate("window.__lcp"))
        page.evaluate(SCROLL)
        page.wait_for_timeout(QUIET_MS)
        longest = float(page.evaluate("Math.max(0, ...window.__tasks)"))
        drawn = self._drawn(page)
        if drawn < self.charts:
            raise NotDrawn(f"{drawn} of {self.charts} charts drawn, so nothing is compared")
        self.looks.paints.append(paint)
        self.looks.drawn.append(drawn)
        self.looks.longest.append(longest)
        for name, act in self.acts.items():
            page.goto(NOWHERE)  # the same address again, apart from its hash, would open nothing
            page.goto(self.url, wait_until="load")
            self.looks.answers.setdefault(name, []).append(act(page))
        page.close()  # one that stays open goes on asking, beside the next one

    def _drawn(self, page: Page) -> int:
        """Return how many charts show lines: a page may draw only what stays in view a while."""
        for _ in range(SCROLLS):
            with suppress(TimeoutError):
                page.wait_for_function(f"() => ({self.drawn}) >= {self.charts}", timeout=DRAWN_MS)
                break
            page.evaluate(SCROLL)
        return int(page.evaluate(self.drawn))

    def shot(self, path: Path) -> None:
        """Take a picture of what is seen first."""
        page = self.context.new_page()
        self._open(page)
        page.screenshot(path=path)
        page.close()


class NotDrawn(Exception):
    """A page does not show the charts that it should."""


def said(name: str, times: Sequence[float]) -> str:
    """Return times in words."""
    median, worst = statistics.median(times), max(times)
    return f"dashboards, {name}: median {median:.0f} ms, worst {worst:.0f} ms; n = {len(times)}"


def context_of(
    browser: Browser, cookies: Sequence[tuple[str, str]] = (), base: str = ""
) -> BrowserContext:
    """Return a context of its own that watches each of its pages."""
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    context.add_cookies([{"name": name, "value": value, "url": base} for name, value in cookies])
    context.add_init_script(WATCH)
    return context


def answered(page: Page, *, act: Callable[[], None], condition: str) -> float:
    """Return the milliseconds from the end of an input until what it asks for stands."""
    act()
    stands = float(
        page.wait_for_function(f"() => {wrapped(condition)}", polling="raf").json_value()
    )
    begun, painted = page.wait_for_function(PAINTED).json_value()
    return (float(painted) or stands) - float(begun)


def wrapped(condition: str) -> str:
    """Return a condition whose truth is the time at which it was found."""
    return f"({condition}) && performance.timeOrigin + performance.now()"


def drag(
    page: Page, selector: str, *, begin: float, end: float, key: str = "", rests: bool = False
) -> None:
    """Draw a stretch over an element, by shares of its width, with a key held where one is.

    A hand `rests` before it lets go of what it chose.
    """
    place = page.locator(selector).first
    place.scroll_into_view_if_needed()
    box = place.bounding_box()
    assert box is not None
    middle = box["y"] + box["height"] / 2
    if key:
        page.keyboard.down(key)
    page.mouse.move(box["x"] + box["width"] * begin, middle)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * end, middle, steps=5)
    if rests:
        page.wait_for_timeout(REST_MS)
    page.mouse.up()
    if key:
        page.keyboard.up(key)
