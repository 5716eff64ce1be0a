"""Other dashboards on loopback with twelve charts of like series: Prometheus and Netdata.

Both are the packages of Debian: Prometheus comes with its classic graph page, whose charts are SVG
and which has buttons in place of a brush; Netdata's are canvases, and a stretch drawn with Shift
held is zoomed into on each chart that is in view.
"""

import random
import shutil
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from threading import Event, Thread
from typing import Final
from urllib.parse import urlencode

import requests
from playwright.sync_api import Page

from tests.bench.dashboard_browser import answered, drag
from tests.live.serving import free_port, served

CHARTS: Final = 12
IN_ADDRESS: Final = 10  # panels of Prometheus' page: it sorts them as text, and stumbles over g10
LINES: Final = 6  # the blamed part and the five quantiles of its peers
STEPS: Final = 104  # 26 minutes at 15 s, as the portal keeps them
STEP_SECONDS: Final = 15
SETTLED_MS: Final = 1_500
FED_SECONDS: Final = STEPS + 10  # so many points as well, at Netdata's one a second
FED: Final = 60.0  # where the first line lies
PROMETHEUS: Final = bool(shutil.which("prometheus") and shutil.which("promtool"))
NETDATA: Final = shutil.which("netdata")
# Nothing of this machine is collected: what it shows is what it is sent.
NETDATA_CONFIG: Final = """
[global]
  run as user = root
  hostname = bench
[db]
  mode = ram
[directories]
  cache = {folder}/cache
  lib = {folder}/lib
  log = {folder}/log
  home = {folder}
  config = {folder}/etc
[logs]
  access = none
[web]
  bind to = 127.0.0.1
  default port = {port}
[plugins]
  enable running new plugins = no
  timex = no
  idlejitter = no
  tc = no
  proc = no
  diskspace = no
  cgroups = no
  netdata monitoring = no
  statsd = yes
[health]
  enabled = no
[ml]
  enabled = no
[statsd]
  default port = {statsd}
  bind to = udp:127.0.0.1:{statsd}
[cloud]
  enabled = no
"""
# One chart of several lines; a gauge by itself would be a chart of its own.
NETDATA_APP: Final = """
[app]
  name = bench
  metrics = bench.*
  private charts = no
"""
NETDATA_CHART: Final = """
[metric{chart}]
  name = metric{chart}
  title = Metric {chart}
  family = charts
  context = bench.metric{chart}
  units = value
  priority = {priority}
  type = line
"""
NETDATA_LINE: Final = "  dimension = bench.metric{chart}.line{line} line{line} last 1 1"
# How many charts have so many lines with something in them, by the page's own elements.
PROMETHEUS_DRAWN: Final = f"""[...document.querySelectorAll('.graph_area .graph > svg')].filter(
  (each) => each.querySelectorAll('path.path[d]').length >= {LINES}).length"""
NETDATA_DRAWN: Final = """[...document.querySelectorAll('[id^="dygraph-"]')].filter((chart) =>
  [...chart.querySelectorAll('canvas')].some((each) => each.width && each.getContext('2d')
    .getImageData(0, 0, each.width, each.height).data.some(Boolean))).length"""
ADD: Final = """(panels) => {
  const page = new Prometheus.Page(); panels.forEach((each) => page.addGraph(each));
}"""
# The chart is made anew for another range: its old drawing bears a mark.
MARK: Final = "document.querySelector('.graph_area .graph > svg').dataset.seen = ''"
DRAWN_ANEW: Final = "document.querySelector('.graph_area .graph > svg:not([data-seen]) path.path')"
TICKS: Final = """[...document.querySelectorAll('[id^="dygraph-"]')].filter((each) => {
  const box = each.getBoundingClientRect(); return box.bottom > 0 && box.top < innerHeight;
}).map((each) => [...each.querySelectorAll('.dygraph-axis-label-x')]
  .map((tick) => tick.textContent).join())"""
OTHER_TICKS: Final = "(({ticks}).every((each, at) => each && each !== ({before})[at]))"


@contextmanager
def prometheus_page(folder: Path) -> Iterator[str]:
    """Serve the graph page of Prometheus with its twelve panels; yield its address."""
    from tests.live.real_prometheus import exporting, prometheus  # noqa: PLC0415  needs settings

    began = int(time.time()) - STEPS * STEP_SECONDS
    with (
        exporting() as exporter,
        prometheus(directory=folder, exporter=exporter, history=_history(began)) as url,
    ):
        panels = {
            f"g{number}.{name}": value
            for number in range(IN_ADDRESS)
            for name, value in _panel(number).items()
        }
        yield f"{url}/classic/graph?{urlencode(panels)}"


def _panel(number: int) -> dict[str, str]:
    return {"expr": f"bench_metric_{number}", "tab": "0", "range_input": "26m"}


def prometheus_rest(page: Page) -> None:
    """Add the panels that an address can't name, as the page's button does."""
    page.wait_for_function(f"() => pageConfig.graphs.length === {IN_ADDRESS}")
    rest = [{**_panel(number), "tab": 0} for number in range(IN_ADDRESS, CHARTS)]
    page.evaluate(ADD, rest)


def _history(began: int) -> str:
    chance = random.Random(7)  # noqa: S311  noise, no secret
    lines: list[str] = []
    for number in range(CHARTS):
        lines.append(f"# TYPE bench_metric_{number} gauge")
        for line in range(LINES):
            for step in range(STEPS):
                value = FED + line + chance.gauss(0, 1)
                at = began + step * STEP_SECONDS
                lines.append(f'bench_metric_{number}{{line="{line}"}} {value:.3f} {at}')
    return "\n".join([*lines, "# EOF", ""])


def prometheus_zoom(page: Page) -> float:
    """Shrink the range of one chart by its button, which asks again and draws it anew."""
    prometheus_rest(page)
    page.wait_for_function(f"() => {PROMETHEUS_DRAWN} === {CHARTS}")
    page.wait_for_timeout(SETTLED_MS)
    page.evaluate(MARK)
    button = page.locator("button[name=dec_range]").first
    return answered(page, act=button.click, condition=DRAWN_ANEW)


@contextmanager
def netdata_page(folder: Path) -> Iterator[str]:
    """Serve the dashboard of Netdata, fed each second until the block ends; yield its address."""
    assert NETDATA
    for name in ("cache", "lib", "log", "etc/statsd.d"):
        (folder / name).mkdir(parents=True)
    port, statsd = free_port(), free_port()
    config = folder / "netdata.conf"
    config.write_text(NETDATA_CONFIG.format(folder=folder, port=port, statsd=statsd))
    (folder / "etc/statsd.d/bench.conf").write_text(_netdata_app())
    command = [NETDATA, "-D", "-c", str(config)]
    url = f"http://127.0.0.1:{port}"
    with (
        served(command=command, log=folder / "out", ready=f"{url}/api/v1/info"),
        _fed(statsd),
    ):
        yield f"{url}/#after=-{STEPS};before=0"


def netdata_filled(page_url: str) -> None:
    """Wait until each chart has as many points as those of the others.

    Raises:
        SystemExit: it has fewer charts, or fewer points long after they were sent.
    """
    address = f"{page_url.partition('/#')[0]}/api/v1/charts"
    for _ in range(2 * FED_SECONDS):
        charts = requests.get(address, timeout=10).json()["charts"].values()
        spans = [each["last_entry"] - each["first_entry"] for each in charts]
        if len(spans) >= CHARTS and min(spans) >= STEPS:
            return
        Event().wait(1)
    raise SystemExit("dashboards: Netdata did not take what it was sent")


def netdata_zoom(page: Page) -> float:
    """Draw a stretch over one chart, which each chart in view then shows."""
    page.wait_for_selector('[id^="dygraph-"] canvas')
    page.wait_for_timeout(SETTLED_MS)
    # It stands still while pointed at; Playwright's own hover stumbles over its two canvases.
    box = page.locator('[id^="dygraph-"] canvas').first.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] / 3, box["y"] + box["height"] / 2)
    page.wait_for_timeout(SETTLED_MS)
    condition = OTHER_TICKS.format(ticks=TICKS, before=page.evaluate(TICKS))
    select = partial(drag, begin=0.5, end=0.8, key="Shift")
    act = partial(select, page, '[id^="dygraph-"] canvas')
    return answered(page, act=act, condition=condition)


def _netdata_app() -> str:
    told = [NETDATA_APP]
    for chart in range(CHARTS):
        told.append(NETDATA_CHART.format(chart=chart, priority=91_000 + chart).rstrip())
        told += [NETDATA_LINE.format(chart=chart, line=line) for line in range(LINES)]
    return "\n".join([*told, ""])


@contextmanager
def _fed(port: int) -> Iterator[None]:
    ended = Event()
    feeding = Thread(target=_feed, args=(port, ended))
    feeding.start()
    try:
        yield
    finally:
        ended.set()
        feeding.join()


def _feed(port: int, ended: Event) -> None:
    chance = random.Random(7)  # noqa: S311  noise, no secret
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        while not ended.wait(1):
            for chart in range(CHARTS):
                for line in range(LINES):
                    value = FED + line + chance.gauss(0, 1)
                    told = f"bench.metric{chart}.line{line}:{value:.3f}|g\n"
                    sender.sendto(told.encode(), ("127.0.0.1", port))
