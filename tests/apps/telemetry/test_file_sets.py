"""Files that a person chose: tars are read within bounds, and what is left out is named."""

import gzip
import io
import json
import tarfile
from collections.abc import Mapping
from random import Random
from time import process_time

import pytest
import zstandard

from apps.telemetry.formats import file_sets
from apps.telemetry.formats.file_sets import ChosenFile, read_files
from apps.telemetry.formats.labels import BadLabels
from apps.telemetry.formats.lines.complaints import Complaints, TooBig
from apps.telemetry.formats.lines.line_blocks import LinePiece

LOG = b"step 1\nstep 2\n"
MIB = 2**20


def packed(members: Mapping[str, bytes], *, pax: Mapping[str, str] | None = None) -> bytes:
    """Return a tar of these files."""
    body = io.BytesIO()
    with tarfile.open(fileobj=body, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for name, text in members.items():
            member = tarfile.TarInfo(name)
            member.size = len(text)
            member.pax_headers = dict(pax or {})
            archive.addfile(member, io.BytesIO(text))
    return body.getvalue()


def read(body: bytes, *, limit: int = MIB) -> tuple[list[LinePiece], Complaints]:
    """Return the pieces of one file, and what was wrong with it."""
    complaints = Complaints()
    file = ChosenFile(
        name="run.tar", body=io.BytesIO(body), most_bytes=64 * MIB, most_decoded=limit
    )
    return list(read_files(files=[file], said={}, complaints=complaints)), complaints


def left_out(complaints: Complaints) -> dict[str, str]:
    """Return file → why nothing of it is kept."""
    return {each.file: each.detail for each in complaints.left_out}


def test_a_file_with_lines_leaves_nothing_out_and_an_empty_one_is_named() -> None:
    pieces, complaints = read(LOG)
    assert (len(pieces), left_out(complaints)) == (1, {})
    pieces, complaints = read(b"")
    assert (pieces, left_out(complaints)) == ([], {"run.tar": file_sets.EMPTY})


def test_members_are_files_of_their_own_packed_or_not_and_what_is_no_log_is_named() -> None:
    members = {
        "session/gpu1/rank0.log": LOG,
        "kernel/gpu2.log.gz": gzip.compress(LOG),
        "session/gpu1/rank1.log": zstandard.compress(LOG),
        "session/gpu1/screen.png": b"\x89PNG\r\n\x1a\n",
        "session/empty.log": b"",
        "inner.tar": packed({"a.log": LOG}),
        "metrics/node.csv": b"time,a\n",
        "about/gpu1.txt": b"driver\n",
    }
    pieces, complaints = read(packed(members))

    assert [(each.labels.get("host"), each.labels.get("rank")) for each in pieces] == [
        ("gpu1", "0"),
        ("gpu2", None),
        ("gpu1", "1"),
    ]
    assert {each.text for each in pieces} == {LOG.rstrip()}
    assert complaints.kept == []
    told = left_out(complaints)
    assert told["run.tar: session/gpu1/screen.png"] == "the file is no log, it is a picture"
    assert told["run.tar: inner.tar"].startswith("a tar or zip is not taken here")
    assert told["run.tar"] == "2 of its files are metrics or notes, which are no logs"
    assert len(told) == 3


def test_what_the_owner_says_of_its_files_counts_and_is_refused_where_it_says_nothing() -> None:
    for zone, is_known in (("Asia/Seoul", True), ("Asia/Soul", False)):
        said = json.dumps([{"path": "a.log", "stream": "kernel", "host": "gpu9", "tz": zone}])
        body = packed({"faultline.json": said.encode(), "a.log": LOG})
        if is_known:
            (piece,) = read(body)[0]
            assert (piece.labels["host"], piece.labels["tz"]) == ("gpu9", zone)
        else:
            with pytest.raises(BadLabels, match="did you mean `Asia/Seoul`"):
                read(body)


def test_bombs_are_refused_one_by_one_and_together() -> None:
    bomb = gzip.compress(bytes(400_000))
    read(packed({"a.log.gz": bomb, "b.log.gz": bomb}))
    with pytest.raises(TooBig):
        read(packed({f"{name}.log.gz": bomb for name in "abc"}))
    with pytest.raises(TooBig):
        read(gzip.compress(packed({"a.log": bytes(2 * MIB)})))


def test_no_more_files_are_read_than_a_run_has(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_sets, "MOST_FILES", 3)
    with pytest.raises(TooBig, match="more than 3 files"):
        read(packed({f"{number}.log": LOG for number in range(4)}))


@pytest.mark.parametrize(
    "pax",
    [
        {"GNU.sparse.major": "1", "GNU.sparse.minor": "0", "GNU.sparse.realsize": "9" * 18},
        {"GNU.sparse.map": "0,1,99999999999,1", "GNU.sparse.size": "100000000000"},
        {"GNU.sparse.map": "x"},
    ],
)
def test_sparse_files_and_their_maps_are_refused_before_they_are_read(pax: dict[str, str]) -> None:
    pieces, complaints = read(packed({"a.log": b"1\n0\n" * 1000}, pax=pax))

    assert pieces == []
    assert "the tar is damaged" in complaints.kept[0].detail


@pytest.mark.parametrize("coding", [bytes, gzip.compress])
def test_the_good_part_of_a_torn_tar_is_kept(coding: type[bytes]) -> None:
    noise = Random(1).randbytes(200_000).hex().encode()  # noqa: S311  the same each time
    whole = coding(packed({"a.log": LOG, "b.log": noise}))
    pieces, complaints = read(whole[: len(whole) // 2])

    assert pieces[0].text == LOG.rstrip()
    assert {each.code for each in complaints.kept} == {"torn"}


def test_damaged_tars_are_never_more_than_damaged() -> None:
    source = Random(7)  # noqa: S311  the same each time
    whole = packed({"a.log": LOG, "b" * 200: LOG, "c.log": LOG}, pax={"comment": "x"})
    for _ in range(300):
        body = bytearray(whole)
        for _ in range(source.randint(1, 8)):
            body[source.randrange(len(body))] = source.randrange(256)
        read(bytes(body[: source.randint(600, len(body))]))


@pytest.mark.parametrize("name", ["metrics/a.csv", "session/gpu1/rank0.log"])
def test_a_member_that_is_not_there_is_skipped_no_longer_than_one_that_is(name: str) -> None:
    header = tarfile.TarInfo(name)
    header.size = 120 * 2**30
    began = process_time()
    body = packed({"session/gpu2/rank1.log": LOG})[:1024] + header.tobuf(tarfile.GNU_FORMAT)
    pieces, complaints = read(body)

    assert process_time() - began < 0.5
    assert sum(piece.line_count for piece in pieces) == 2
    assert [each.code for each in complaints.kept] == ["torn"]
