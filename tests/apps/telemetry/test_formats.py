"""Labels under the portal's names, and files that come in parts."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.telemetry.formats import labels
from apps.telemetry.formats.compression.zstd_frames import Frames
from apps.telemetry.formats.lines.complaints import Complaints
from apps.telemetry.formats.lines.line_blocks import LinePiece, blocks, cut_between_lines
from apps.telemetry.formats.loki.loki_protobuf import label_pairs
from apps.telemetry.formats.pack import packed, unpacked


@pytest.mark.parametrize(
    ("said", "known"),
    [
        ({"job_id": "7"}, {"session": "7"}),
        (
            {"slurm_job_id": "7", "host": "a", "node": "b"},
            {"session": "7", "host": "a", "node": "b"},
        ),
        ({"instance": "gpu001:9100"}, {"host": "gpu001"}),
        ({"hostname": "fe80::1"}, {"host": "fe80::1"}),
        ({"stream": "dmesg"}, {"stream": "kernel"}),
        ({"stream": "whatever"}, {"stream_name": "whatever"}),
        ({"tz": "Mars/Base"}, {"tz_name": "Mars/Base"}),
        ({"tz": "Asia/Seoul", "x": ""}, {"tz": "Asia/Seoul"}),
    ],
)
def test_labels_get_the_portals_names_and_others_stay(
    said: dict[str, str], known: dict[str, str]
) -> None:
    assert labels.canonical(labels=said) == known


def test_too_many_labels_are_refused() -> None:
    with pytest.raises(labels.BadLabels):
        labels.canonical(labels={f"l{number}": "x" for number in range(100)})


def test_printed_labels_are_read_with_their_escapes() -> None:
    assert label_pairs(text=r'{a="x\"y", b_1 = "z,}" }') == {"a": 'x"y', "b_1": "z,}"}


@given(st.binary(max_size=300), st.lists(st.integers(1, 300), max_size=6))
def test_how_bytes_are_cut_does_not_change_the_lines(data: bytes, places: list[int]) -> None:
    edges = sorted({0, len(data), *(place for place in places if place < len(data))})
    parts = [data[a:b] for a, b in pairwise(edges)]
    whole = list(blocks(source=[data], complaints=Complaints()))
    cut = list(blocks(source=parts, complaints=Complaints()))
    assert b"\n".join(text for text, _ in whole) == b"\n".join(text for text, _ in cut)
    assert sum(count for _, count in whole) == sum(count for _, count in cut)


@given(st.lists(st.sampled_from(["", "a", "bb", "c" * 9]), min_size=1), st.integers(1, 12))
def test_a_piece_that_is_cut_is_its_lines_and_their_times(lines: list[str], most: int) -> None:
    stamps = np.arange(len(lines), dtype="<i8")
    for times in (None, stamps.tobytes()):
        piece = LinePiece(
            labels={"a": "b"},
            text="\n".join(lines).encode(),
            line_count=len(lines),
            stamps=times,
        )
        parts = list(cut_between_lines(piece=piece, most=most))
        assert b"\n".join(part.text for part in parts) == piece.text
        assert [part.line_count for part in parts] == [p.text.count(b"\n") + 1 for p in parts]
        assert sum(part.line_count for part in parts) == len(lines)
        assert times is None or b"".join(part.stamps or b"" for part in parts) == times
        assert all(len(p.text) <= most or b"\n" not in p.text for p in parts)
        assert all(part.labels == piece.labels for part in parts)


@given(st.binary(max_size=300))
def test_lines_are_always_text_that_a_database_takes(data: bytes) -> None:
    for text, count in blocks(source=[data], complaints=Complaints()):
        assert "\0" not in text.decode()
        assert text.count(b"\n") + 1 == count


@given(st.lists(st.text(max_size=20), min_size=1, max_size=5))
def test_packing_is_undone_by_unpacking(texts: list[str]) -> None:
    pieces = [
        LinePiece(
            labels={"n": str(n)},
            text=text.encode(),
            line_count=1,
            stamps=(None, b"12345678")[n % 2],
        )
        for n, text in enumerate(texts)
    ]
    found = list(unpacked(body=packed(pieces=pieces)))
    assert [piece.text for piece in found] == [piece.text for piece in pieces]


@given(st.binary(max_size=200))
def test_walking_over_anything_never_fails(data: bytes) -> None:
    Frames().feed(data)
