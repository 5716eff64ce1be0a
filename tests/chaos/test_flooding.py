"""Strangers with patience and bandwidth, against a running portal; prints what came of each."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Thread

import pytest

from tests.cast import make
from tests.chaos import attacks
from tests.chaos.attacks import MEBIBYTE, Outcome, Reading
from tests.prepared import prepare
from tests.running import environment, inside, portal, processes_of, read_until

PREPARE = """
import json
from apps.tenancy.models import MemberRole
from tests.cast import make
aurora = make.organization("aurora")
make.user(organization=aurora, role=MemberRole.ADMIN, name="ada")
print(json.dumps(make.token(organization=aurora)))
"""
HOME = "/o/aurora/"


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A portal, one who reads its pages, and a token."""

    url: str
    var: Path
    cookie: str
    token: str

    def read(self, *, times: int = 100) -> Reading:
        """Read a page as its member does."""
        return attacks.read_pages(self.url, path=HOME, times=times, cookie=self.cookie)

    def memory(self) -> int:
        """Return how many bytes the web process holds."""
        (pid,) = (
            pid
            for pid, line in processes_of(self.var).items()
            if "apps.operations.servers.web" in line
        )
        pages = Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1]
        return int(pages) * 4096


@pytest.fixture(scope="module")
def target(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Target]:
    """Run a portal with one member."""
    var = prepare(tmp_path_factory.mktemp("flooded") / "var")
    variables = environment(var)
    with portal(var, variables) as running:
        assert "Faultline is up" in read_until(running, "Faultline is up")
        token, url = inside(PREPARE, variables=variables), variables["PORTAL_BASE_URL"]
        cookie = attacks.session_cookie(url, name="ada", password=make.PASSWORD)
        yield Target(url=url, var=var, cookie=cookie, token=token)


def tell(outcome: Outcome, **more: object) -> None:
    """Print one row."""
    print(outcome.row(), *(f"{name}={value}" for name, value in more.items()))  # noqa: T201  the table


def test_who_reads_hardly_notices_sixteen_loops_at_the_sign_in_page(target: Target) -> None:
    quiet, until, found = target.read(), Event(), list[Outcome]()
    flood = Thread(
        target=lambda: found.append(attacks.guess_passwords(target.url, loops=16, until=until))
    )
    flood.start()
    try:
        busy = target.read(times=200)
    finally:
        until.set()
        flood.join()

    tell(found[0], p95_quiet=round(quiet.p95, 3), p95_flooded=round(busy.p95, 3))
    assert not busy.failures
    assert busy.p95 < 5 * quiet.p95 + 0.2
    assert set(found[0].answers) <= {"401", "429", "503"}
    assert found[0].answers["429"] > 0
    assert attacks.session_cookie(target.url, name="ada", password=make.PASSWORD)


@pytest.mark.parametrize("announces", [None, 300 * MEBIBYTE, 99_999_999_999])
@pytest.mark.parametrize("path", ["/sign-in/", "/api/v1/logs", "/o/aurora/upload/"])
def test_a_body_without_end_is_refused_early(
    target: Target, path: str, announces: int | None
) -> None:
    before = target.memory()
    found = attacks.send_without_end(
        target.url, path=path, size=300 * MEBIBYTE, announces=announces
    )
    tell(found, grew=f"{(target.memory() - before) / MEBIBYTE:.0f} MiB")

    assert set(found.answers) <= {"413", "401", "404"}
    assert found.sent_bytes < 24 * MEBIBYTE  # the rest lies in buffers of the two kernels
    assert target.memory() - before < 32 * MEBIBYTE


def test_half_open_connections_end_and_keep_nobody_out(target: Target) -> None:
    found = list[Outcome]()
    flood = Thread(
        target=lambda: found.append(attacks.open_halves(target.url, connections=500, patience=30))
    )
    flood.start()
    reading = target.read(times=60)
    flood.join()

    tell(found[0], p95=round(reading.p95, 3))
    assert not reading.failures
    assert "still open" not in found[0].answers


def test_bodies_that_never_end_on_all_connections_keep_nobody_out(target: Target) -> None:
    until, found = Event(), list[Outcome]()
    flood = Thread(
        target=lambda: found.append(
            attacks.hold_connections(target.url, connections=1100, until=until)
        )
    )
    flood.start()
    try:
        reading = target.read(times=100)
    finally:
        until.set()
        flood.join()

    tell(found[0], p95=round(reading.p95, 3))
    assert not reading.failures


@pytest.mark.parametrize("path", ["/sign-in/", "/api/v1/logs"])
def test_a_body_at_one_byte_a_second_is_given_up(target: Target, path: str) -> None:
    token = f"Authorization: Bearer {target.token}"
    found = attacks.drip(target.url, path=path, pause=1.0, patience=60, headers=token)

    tell(found)
    assert set(found.answers) == {"408"}


def test_readers_who_read_nothing_hold_nothing(target: Target) -> None:
    before, found = target.memory(), list[Outcome]()
    flood = Thread(
        target=lambda: found.append(
            attacks.read_nothing(
                target.url,
                path="/static/plotly/4.1.1/plotly-basic.min.js",
                connections=100,
                patience=120,
                cookie="",
            )
        )
    )
    flood.start()
    reading = target.read(times=100)
    grew = target.memory() - before
    flood.join()

    tell(found[0], p95=round(reading.p95, 3), grew=f"{grew / MEBIBYTE:.0f} MiB")
    assert not reading.failures
    assert set(found[0].answers) == {"reset"}
    assert grew < 128 * MEBIBYTE
