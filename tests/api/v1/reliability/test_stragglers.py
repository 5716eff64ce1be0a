"""Stragglers by REST, and step traces that are pushed."""

import csv
import gzip
import io
import tarfile
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from apps.telemetry.models import StragglerFinding
from apps.tenancy.models import Organization, TokenScope
from apps.tenancy.scope import organization_scope
from tests.cast import make, trace_files
from tests.cast.clients import token
from tests.cast.storage_world import StorageWorld, build

pytestmark = pytest.mark.django_db


@pytest.fixture
def world() -> StorageWorld:
    """A tenant with a running session."""
    return build(now=timezone.now())  # noqa: TID251  the view reads the clock


def _push(world: StorageWorld, who: Organization, body: bytes, **query: str) -> Any:
    clear = make.token(organization=who, scopes=[TokenScope.INGEST], clusters=[world.cluster])
    asked = "&".join(f"{name}={value}" for name, value in query.items())
    return Client().post(
        f"/api/v1/step-traces?{asked}",
        body,
        content_type="application/octet-stream",
        headers={"Authorization": f"Bearer {clear}"},
    )


def test_a_pushed_table_is_read_and_its_figures_are_there(world: StorageWorld) -> None:
    told = _push(world, world.tenant, trace_files.slow_worker(), session=world.session.name)
    assert told.status_code == 200
    assert told.json()["cause"] == "worker"
    found = token(world.tenant).get(f"sessions/{world.session.public_id}/stragglers/").json()
    (trace,) = found["traces"]
    assert trace["slowdown"] == pytest.approx(told.json()["slowdown"])
    assert trace["worker"]["rank"] == 0
    assert trace["what_if"]["worst_workers_share"] > 0.5


def test_a_tar_of_all_ranks_is_one_trace(world: StorageWorld) -> None:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        lines = trace_files.inspector_lines(late=3).splitlines(keepends=True)
        for name, part in (("a.log", lines[::2]), ("b.log", lines[1::2])):
            member = tarfile.TarInfo(name)
            body = b"".join(part)
            member.size = len(body)
            archive.addfile(member, io.BytesIO(body))
    told = _push(world, world.tenant, packed.getvalue(), session=world.session.name)
    assert (told.status_code, told.json()["cause"]) == (200, "")
    found = token(world.tenant).get(f"sessions/{world.session.public_id}/stragglers/").json()
    (slow,) = found["slow_members"]
    assert (slow["rank"], slow["told_by"], slow["last_share"]) == (3, "collectives", 1.0)


def test_a_trace_of_a_session_of_others_is_refused_as_of_one_that_is_not(
    world: StorageWorld,
) -> None:
    body = trace_files.slow_last_stage()
    known = _push(world, world.other, body, session=world.session.name)
    unknown = _push(world, world.other, body, session="nothing-of-this-name")
    assert known.status_code == unknown.status_code == 400
    assert known.json()["detail"] == unknown.json()["detail"]
    assert _push(world, world.vendor, body, session=world.session.name).status_code == 400
    with organization_scope(world.other.pk, world.tenant.pk, world.vendor.pk):
        assert not StragglerFinding.objects.exists()


@pytest.mark.parametrize(
    ("body", "query"),
    [
        (b"", {"session": "x"}),
        (b"garbage", {}),
        (b"garbage", {"session": "x", "attempt": "last"}),
        (b"garbage", {"session": "x", "sesion": "x"}),
    ],
)
def test_what_can_not_be_used_is_refused(
    world: StorageWorld, body: bytes, query: dict[str, str]
) -> None:
    asked = {name: world.session.name if value == "x" else value for name, value in query.items()}
    assert _push(world, world.tenant, body, **asked).status_code == 400


def test_an_attempt_is_named_by_its_number(world: StorageWorld) -> None:
    body = trace_files.slow_worker()
    asked = {"session": world.session.name}
    assert _push(world, world.tenant, body, **asked, attempt="1").status_code == 200
    for refused in ({"attempt": "1"}, asked | {"attempt": "last"}):
        told = _push(world, world.tenant, body, **refused)
        assert (told.status_code, told.json()["code"]) == (400, "bad_parameters")
        assert "name the `session`, and the `attempt` by its number" in told.json()["detail"]


def test_a_bomb_is_refused_before_it_unfolds(world: StorageWorld) -> None:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        member = tarfile.TarInfo("trace.csv")
        member.size = 80 * 2**20
        archive.addfile(member, io.BytesIO(bytes(member.size)))
    told = _push(world, world.tenant, packed.getvalue(), session=world.session.name)
    assert (told.status_code, "64 MiB" in told.json()["detail"]) == (400, True)


def test_all_sessions_by_rest_and_as_a_table(world: StorageWorld) -> None:
    _push(world, world.tenant, trace_files.slow_worker(), session=world.session.name)
    found = token(world.tenant).get("stragglers/").json()
    assert (found["fleet"]["jobs"], found["fleet"]["straggling"]) == (1, 1)
    assert found["fleet"]["wasted_share"] == pytest.approx(1 - 1 / found["jobs"][0]["slowdown"])
    assert len(found["months"]) == 1
    answer = token(world.tenant).get("stragglers/jobs.csv")
    (row,) = csv.DictReader(io.StringIO(b"".join(answer.streaming_content).decode()))
    assert (row["session"], row["cause"]) == (world.session.public_id, "worker")


def test_others_have_none_of_it(world: StorageWorld) -> None:
    _push(world, world.tenant, trace_files.slow_worker(), session=world.session.name)
    there = f"sessions/{world.session.public_id}/stragglers/"
    for who in (world.other, world.vendor, world.outsider):
        assert token(who).get(there).status_code == 404
        assert token(who).get("stragglers/").json()["jobs"] == []
    # The operator may know of the session; of the tenant's traces it reads nothing.
    assert token(world.operator).get(there).json()["traces"] == []


NO_PARQUET = "no pyarrow here: Parquet was not tried; the extra `parquet` brings it"
HEADER = "dp_rank,stage,rank,step,optype,start_ts,duration,seq_id,mc,mb_id,gmc"


def _rows(*rows: str) -> bytes:
    return "\n".join([HEADER, *rows]).encode()


def _operations(count: int) -> bytes:
    return _rows(*(f"0,0,0,1,forward-compute,{at},1,{at},0,0,0" for at in range(count)))


def _replicas(count: int) -> bytes:
    return _rows(*(f"{at},0,{at},1,forward-compute,0,1,0,0,0,0" for at in range(count)))


@pytest.mark.parametrize(
    ("body", "words"),
    [
        # Two rows that name forty million replicas: three gibibytes as a cube.
        (_rows("0,0,0,1,gc,0,1,0,0,0,0", "40000000,0,0,1,gc,0,1,0,0,0,0"), "too many"),
        (_operations(120_000), "too long"),
        (_replicas(20_000), "too long"),
        (gzip.compress(b"[" + b"[]," * 3_000_000 + b"[]]"), "trace fewer steps"),
        (gzip.compress(_rows(*["0,0,0,1,gc,0,1,0,0,0,0"] * 700_000)), "cells"),
    ],
    ids=["holes", "operations", "replicas", "brackets", "rows"],
)
def test_a_small_body_that_takes_much_to_read_is_refused(
    world: StorageWorld, body: bytes, words: str
) -> None:
    told = _push(world, world.tenant, body, session=world.session.name)
    assert told.status_code in {400, 413}
    assert words in told.content.decode()
    with organization_scope(world.tenant.pk):
        assert not StragglerFinding.objects.exists()


def test_a_long_text_that_all_rows_of_a_table_say_is_held_once(world: StorageWorld) -> None:
    pa = pytest.importorskip("pyarrow", reason=NO_PARQUET)
    parquet = pytest.importorskip("pyarrow.parquet", reason=NO_PARQUET)
    word = pa.array(["x" * 2**20])
    column = pa.DictionaryArray.from_arrays(pa.array([0] * 50_000, pa.int32()), word)
    packed = io.BytesIO()  # half a kibibyte, 49 GiB as texts
    parquet.write_table(pa.table({"optype": column}), packed, compression="zstd")
    told = _push(world, world.tenant, packed.getvalue(), session=world.session.name)
    assert told.status_code == 400
    assert "no column" in told.content.decode()
