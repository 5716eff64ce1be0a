"""`manage.py backtest` as a person meets it: tables and servers in, a judgement out."""

import io
import json
import os
import subprocess
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from django.core.management import call_command

from tests.apps.telemetry.prometheus_server import World, serving
from tests.cast import metrics

ROOT = Path(__file__).parents[3]
START = 1_772_323_200  # 2026-03-01 00:00 UTC
MINUTES = 600
XID_AT = START + 400 * 60
HOSTS = tuple(f"gpu{number:03}" for number in range(1, 9))
RANGE = ("--from", "2026-03-01T00:00:00Z", "--to", "2026-03-01T10:00:00Z")


def _clock(host: str, at: np.ndarray) -> np.ndarray:
    wobble = 5 * np.sin(at / 700 + len(host) + int(host[-1]))
    return 1900 + wobble - np.where((host == "gpu003") & (at >= XID_AT - 600), 400.0, 0.0)


def _xid(host: str, at: np.ndarray) -> np.ndarray:
    return np.where((host == "gpu003") & (at >= XID_AT), 149.0, 0.0)


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """Return ten hours of eight hosts; the clock of one sags before its Xid."""
    at = START + 60 * np.arange(MINUTES)
    rows = ["time,Hostname,gpu,DCGM_FI_DEV_SM_CLOCK,DCGM_FI_DEV_GPU_UTIL,DCGM_FI_DEV_XID_ERRORS"]
    for host in HOSTS:
        values = zip(at.tolist(), _clock(host, at).tolist(), _xid(host, at).tolist(), strict=True)
        rows += [f"{second},{host},0,{clock:.0f},98,{xid:.0f}" for second, clock, xid in values]
    path = tmp_path / "series.csv"
    path.write_text("\n".join(rows) + "\n")
    return path


@pytest.fixture
def failures(tmp_path: Path) -> Path:
    """Return the list of what failed."""
    path = tmp_path / "failures.csv"
    path.write_text("when,node,gpu,xid,type\n2026-03-01T06:40:00Z,gpu003,0,149,NVLink\n")
    return path


def _world(**more: str) -> World:
    world = World()
    for host in HOSTS:
        labels = {"Hostname": host, "gpu": "0", **more}
        world.add("DCGM_FI_DEV_SM_CLOCK", partial(_clock, host), **labels)
        world.add("DCGM_FI_DEV_XID_ERRORS", partial(_xid, host), **labels)
        world.add("DCGM_FI_DEV_GPU_UTIL", 98.0, **labels)
    return world


def _run(*arguments: str) -> tuple[int, str, str]:
    out, err = io.StringIO(), io.StringIO()
    try:
        call_command("backtest", *arguments, stdout=out, stderr=err)
    except SystemExit as left:
        return int(str(left.code)), out.getvalue(), err.getvalue()
    return 0, out.getvalue(), err.getvalue()


def _found(text: str) -> tuple[int, str]:
    told = json.loads(text)
    assert told["schema"] == "faultline.backtest/1"
    return told["detected"]["hits"], told["failures"][0]["when"]


def test_a_table_and_a_list_make_a_judgement(table: Path, failures: Path) -> None:
    code, text, _ = _run(str(table), "--failures", str(failures), "--format", "json")
    assert code == 0
    assert _found(text)[0] == 1
    assert json.loads(text)["span"]["hosts"] == 8


def test_the_text_carries_n_and_interval_of_every_rate(table: Path, failures: Path) -> None:
    _, text, _ = _run(str(table.parent), "--failures", str(failures))
    assert "detected            1 of 1  100%  (95 %: 2% to 100%)" in text
    assert "a node-day" in text
    assert "NVLink on gpu003 GPU 0" in text


def test_the_page_asks_nobody_for_anything(table: Path, failures: Path, tmp_path: Path) -> None:
    out = tmp_path / "report.html"
    code, text, err = _run(
        str(table), "--failures", str(failures), "--format", "html", "--out", str(out)
    )
    page = out.read_text()
    assert (code, text) == (0, "")
    assert str(out) in err
    assert page.startswith("<!DOCTYPE html>")
    assert not any(word in page for word in ("<script", "http://", "https://", "url(", "src="))


@pytest.mark.parametrize(
    ("form", "says"), [("text", b"1 of 1"), ("html", b"<h2>Failures found</h2><b>1 of 1</b>")]
)
def test_without_a_database_and_without_settings(
    table: Path, failures: Path, form: str, says: bytes
) -> None:
    bare = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("PORTAL_", "DJANGO_"))
    }
    done = subprocess.run(  # noqa: S603  our own command
        [
            *(sys.executable, "manage.py", "backtest", str(table)),
            *("--failures", str(failures), "--format", form),
        ],
        cwd=ROOT, env=bare, capture_output=True, check=True,
    )  # fmt: skip
    assert says in done.stdout


def test_a_server_is_read_in_chunks_over_the_range(failures: Path) -> None:
    world = _world()
    with serving(world) as url:
        code, text, _ = _run(url, *RANGE, "--failures", str(failures), "--format", "json")
    spans = {form["start"] for path, form in world.asked if path.endswith("query_range")}
    assert code == 0
    assert _found(text)[0] == 1
    assert len(spans) == 2


@pytest.mark.parametrize("more", [{}, {"simulated": "true"}])
def test_simulated_series_of_a_server_are_told_as_such(
    failures: Path, more: dict[str, str]
) -> None:
    with serving(_world(**more)) as url:
        _, text, _ = _run(url, *RANGE, "--failures", str(failures))
    assert ("SIMULATED DATA" in text) == bool(more)


@pytest.mark.django_db(transaction=True, databases=["default"])
def test_a_source_of_the_portal_is_judged_with_the_sessions_that_ran(failures: Path) -> None:
    people = metrics.cast()
    with serving(_world()) as url:
        source = metrics.source(people, url)
        code, text, err = _run(
            source.public_id, *RANGE, "--failures", str(failures), "--format", "json"
        )
    assert (code, err) == (0, "")
    assert _found(text)[0] == 1
    assert json.loads(text)["simulated"] is True


def test_a_table_of_values_and_of_a_server_say_the_same(table: Path, failures: Path) -> None:
    _, of_table, _ = _run(str(table), *RANGE, "--failures", str(failures), "--format", "json")
    with serving(_world()) as url:
        _, of_server, _ = _run(url, *RANGE, "--failures", str(failures), "--format", "json")
    assert _found(of_table) == _found(of_server)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("missing.csv",), "no such file or folder"),
        (("http://127.0.0.1:9", *RANGE), "check the URL"),
        (("htp://127.0.0.1:9", *RANGE), "http:// or https://; did you mean `http://127.0.0.1:9`?"),
        (("http://127.0.0.1:9",), "needs --from and --to"),
        (("http://127.0.0.1:9", RANGE[0], RANGE[3], RANGE[2], RANGE[1]), "the range is empty"),
        (("http://127.0.0.1:9", "--from", "noon", "--to", "now"), "--from 'noon' is no time"),
        (("TABLE", "--from", "2030-01-01", "--to", "2030-01-02"), "no sample lies between"),
        (("TABLE", "--failures", "missing.csv"), "missing.csv: cannot be read"),
        (("TABLE", "--step", "0"), "--step is between"),
    ],
)
def test_what_cannot_be_used_is_said_in_a_sentence(
    table: Path, arguments: tuple[str, ...], says: str
) -> None:
    named = [str(table) if each == "TABLE" else each for each in arguments]
    code, text, err = _run(*named)
    assert (code, text) == (2, "")
    assert says in err


def test_a_misspelt_column_of_failures_judges_nothing(
    table: Path, failures: Path, tmp_path: Path
) -> None:
    misspelt = tmp_path / "misspelt.csv"
    misspelt.write_text(failures.read_text().replace("node", "nodde", 1))
    code, text, error = _run(str(table), "--failures", str(misspelt), "--format", "json")
    assert (code, text) == (2, "")
    assert "misspelt.csv: there is no column `nodde`; did you mean `node`?" in error


def test_where_an_exporter_of_many_hosts_listens_is_no_host(failures: Path) -> None:
    world = _world()
    world.add("up", 1.0, job="dcgm", instance="127.0.0.1:9400")
    with serving(world) as url:
        _, text, _ = _run(url, *RANGE, "--failures", str(failures), "--format", "json")
    assert json.loads(text)["span"]["hosts"] == len(HOSTS)


def test_failures_outside_of_the_range_are_refused(table: Path, tmp_path: Path) -> None:
    late = tmp_path / "late.csv"
    late.write_text("at,host\n2026-04-01T00:00:00Z,gpu003\n")
    code, _, err = _run(str(table), "--failures", str(late))
    assert code == 2
    assert "none of the 1 failures lies between 2026-03-01 00:00 and" in err


def test_hosts_that_nobody_knows_are_noted(table: Path, tmp_path: Path) -> None:
    strange = tmp_path / "strange.csv"
    strange.write_text("at,host\n2026-03-01T06:40:00Z,dgx-77\n")
    code, text, _ = _run(str(table), "--failures", str(strange))
    assert code == 0
    assert "doesn't know 1 of the hosts that failed: dgx-77" in text


def test_hosts_of_failures_outside_of_the_range_are_not_missed(table: Path, tmp_path: Path) -> None:
    mixed = tmp_path / "mixed.csv"
    mixed.write_text("at,host\n2026-03-01T06:40:00Z,gpu003\n2026-04-01T00:00:00Z,dgx-77\n")
    code, text, _ = _run(str(table), "--failures", str(mixed))
    assert code == 0
    assert "1 failures lie outside of the range" in text
    assert "dgx-77" not in text


def test_a_server_that_is_down_is_one_sentence() -> None:
    url = "http://127.0.0.1:1"
    span = ("--from", "2026-03-01", "--to", "2026-03-02")
    done = subprocess.run(  # noqa: S603  our own command
        [sys.executable, "manage.py", "backtest", url, *span],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"{url}: no connection")
    assert done.stderr.count("\n") == 1
