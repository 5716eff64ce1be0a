"""An incident with 10,000 entries and 12 charts in a browser, beside other dashboards.

`python -m tests.bench.bench_dashboards [--entries 10000] [--rounds 7] [--shots FOLDER]
[--before CHECKOUT]`. Each portal or peer is a server program of its own on loopback; one Chromium
opens them in turn, round by round, so that what else the machine does meets all of them. Peers show
twelve charts of six lines each and no story. A page that does not show its twelve charts gives no
figure. An answer to an input counts from the pointer's release until what was asked for is painted:
at once, and where the pointer rested a moment before, as a hand's does. Another checkout of the
portal, of the same tables, is visited in turn with this one, on the same database.
"""

import argparse
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Final

from playwright.sync_api import Browser, Error, Page, sync_playwright

from tests.bench.bench_page import portal
from tests.bench.dashboard_browser import (
    REST_MS,
    Dashboard,
    NotDrawn,
    answered,
    context_of,
    drag,
)
from tests.bench.dashboard_peers import (
    CHARTS,
    NETDATA,
    NETDATA_DRAWN,
    PROMETHEUS,
    PROMETHEUS_DRAWN,
    netdata_filled,
    netdata_page,
    netdata_zoom,
    prometheus_page,
    prometheus_rest,
    prometheus_zoom,
)
from tests.bench.dashboard_server import server_lines
from tests.bench.dashboard_world import Served, recorded
from tests.bench.report import load

BROWSERS: Final = ("chromium", "chromium-browser", "google-chrome")
# Netdata's page asks servers of its makers, whom a bench has nothing to tell.
LOOPBACK: Final = "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"
FLAGS: Final = (
    "--no-sandbox",
    "--disable-dev-shm-usage",
    "--disable-gpu",
    "--no-first-run",
    LOOPBACK,
)
DRAWN: Final = """[...document.querySelectorAll('.js-plotly-plot')].filter(
  (each) => each.querySelector('.scatterlayer path[d]')).length"""
NONE: Final = "document.querySelectorAll('.js-plotly-plot').length"
WINDOW: Final = "document.querySelector('svg[data-timeline]')?.dataset.from !== {before!r}"
# Those that nobody sees follow one by one, as other pages' do.
NARROWED: Final = """[...document.querySelectorAll('.js-plotly-plot')].filter((each) => {{
  const {{ top, bottom }} = each.getBoundingClientRect();
  return bottom > 0 && top < innerHeight;
}}).every((each) => String(each.layout.xaxis.range[0]) !== {before!r})"""
COMPARED: Final = ("LCP", "longest task", "zoom", "bytes")


def ours(browser: Browser, served: Served, *, name: str = "ours") -> Iterator[Dashboard]:
    """Yield the incident's page with its charts, and one without."""
    context = partial(context_of, browser, [served.cookie], served.base)
    yield Dashboard(
        name=name,
        url=served.base + served.with_charts,
        context=context(),
        drawn=DRAWN,
        charts=CHARTS,
        acts={
            "brush": _brush,
            "brush, rested": partial(_brush, rests=True),
            "filter": _filter,
            "filter, rested": partial(_filter, rests=True),
            "zoom": _zoom,
        },
    )
    yield Dashboard(
        name=f"{name} plain",
        url=served.base + served.without_charts,
        context=context(),
        drawn=NONE,
        charts=0,
    )


def _stands(page: Page) -> str:
    page.wait_for_timeout(1_000)
    return str(page.locator("svg[data-timeline]").get_attribute("data-from"))


def _brush(page: Page, *, rests: bool = False) -> float:
    """Drag another window out of the density."""
    before = _stands(page)
    place = "svg[data-density] .lane-place"
    act = partial(drag, page, place, begin=0.55, end=0.8, rests=rests)
    return answered(page, act=act, condition=WINDOW.format(before=before))


def _filter(page: Page, *, rests: bool = False) -> float:
    """Group the lanes by party."""
    _stands(page)
    link = page.locator(".segments a[href*='group=party']").first
    if rests:
        link.hover()
        page.wait_for_timeout(REST_MS)
    chosen = "document.querySelector(\".segments a[aria-current][href*='group=party']\")"
    return answered(page, act=link.click, condition=chosen)


def _zoom(page: Page) -> float:
    """Drag a stretch out of one chart, which all in view then show."""
    _stands(page)
    for figure in page.locator("[data-figure]").all():
        figure.scroll_into_view_if_needed()
    page.wait_for_function(f"() => {DRAWN} === {CHARTS}")
    before = str(page.locator(".js-plotly-plot").first.evaluate("(e) => e.layout.xaxis.range[0]"))
    act = partial(drag, page, ".chart .nsewdrag", begin=0.3, end=0.6)
    return answered(page, act=act, condition=NARROWED.format(before=before))


def started_peers(stack: ExitStack) -> list[tuple[str, str]]:
    """Start the peers that this machine has, and say which it has not; name → address."""
    found: list[tuple[str, str]] = []
    folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="dashboards-")))
    for name, is_here, serve, package in (
        ("Prometheus", PROMETHEUS, prometheus_page, "prometheus"),
        ("Netdata", NETDATA, netdata_page, "netdata-core netdata-web"),
    ):
        if is_here:
            (place := folder / name).mkdir()
            found.append((name, stack.enter_context(serve(place))))
        else:
            _say(f"dashboards, {name}: not on this machine (apt install {package})")
    return found


def peers(browser: Browser, found: Sequence[tuple[str, str]]) -> Iterator[Dashboard]:
    """Yield the peers' pages."""
    ways: dict[str, tuple[str, Callable[[Page], float]]] = {
        "Prometheus": (PROMETHEUS_DRAWN, prometheus_zoom),
        "Netdata": (NETDATA_DRAWN, netdata_zoom),
    }
    for name, url in found:
        if name == "Netdata":
            netdata_filled(url)
        drawn, zoom = ways[name]
        yield Dashboard(
            name=name,
            url=url,
            context=context_of(browser),
            drawn=drawn,
            charts=CHARTS,
            rest=prometheus_rest if name == "Prometheus" else None,
            acts={"zoom": zoom},
        )


def measured(boards: Sequence[Dashboard], *, rounds: int, shots: Path | None) -> list[Dashboard]:
    """Visit all of them in turn, and return those that did in each round as their pages should."""
    standing = list(boards)
    for number in range(rounds):
        for board in list(standing):
            try:
                if number == 0:
                    board.first_visit()
                board.visit()
                if shots and number == 0:
                    board.shot(shots / f"{board.name}.png")
            except (NotDrawn, Error) as error:
                _say(f"dashboards, {board.name}: {str(error).splitlines()[0]}")
                standing.remove(board)
    return standing


def compared(boards: Sequence[Dashboard]) -> Iterator[str]:
    """Yield how many times what each peer takes our page takes."""
    by_name = {board.name: board.looks.medians() for board in boards}
    mine = by_name.get("ours", {})
    for name in ("Prometheus", "Netdata"):
        for figure in COMPARED:
            if figure in mine and by_name.get(name, {}).get(figure):
                times = mine[figure] / by_name[name][figure]
                yield f"dashboards, {figure} beside {name}: {times:.2f} x"


def _say(line: str) -> None:
    print(line, flush=True)  # noqa: T201


def main() -> None:
    """Print one line a figure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--entries", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--shots", type=Path, help="where pictures of the pages are put")
    parser.add_argument("--before", type=Path, help="another checkout, visited in turn")
    asked = parser.parse_args()
    path = next((path for each in BROWSERS if (path := shutil.which(each))), None)
    if path is None:
        _say("dashboards: no Chromium on this machine")
        return
    # The peers first: while the incident is recorded, Netdata gets its points, one a second.
    with portal(), ExitStack() as stack:
        found = started_peers(stack)
        world = recorded(entries=asked.entries)
        portals = {"ours": stack.enter_context(world.served())}
        if asked.before:
            portals["before"] = stack.enter_context(world.served(checkout=asked.before))
        _say(f"dashboards: {asked.entries:,} entries, {CHARTS} charts, {load()}")
        for line in server_lines(portals, rounds=asked.rounds):
            _say(line)
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
            own = (ours(browser, each, name=name) for name, each in portals.items())
            boards = [*chain.from_iterable(own), *peers(browser, found)]
            standing = measured(boards, rounds=asked.rounds, shots=asked.shots)
            browser.close()
    for board in standing:
        for line in board.looks.lines(board.name):
            _say(line)
    for line in compared(standing):
        _say(line)
    _say(f"dashboards: at the end {load()}")


if __name__ == "__main__":
    main()
