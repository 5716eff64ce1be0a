"""Labels under the portal's names, and files that come in parts."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.telemetry.formats import labels
from apps.telemetry.formats.lines import Complaints, Piece, blocks
from apps.telemetry.formats.loki import label_pairs
from apps.telemetry.formats.pack import packed, unpacked
from apps.telemetry.formats.zstd_frames import Frames


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


@given(st.binary(max_size=300))
def test_lines_are_always_text_that_a_database_takes(data: bytes) -> None:
    for text, count in blocks(source=[data], complaints=Complaints()):
        assert "\0" not in text.decode()
        assert text.count(b"\n") + 1 == count


@given(st.lists(st.text(max_size=20), min_size=1, max_size=5))
def test_packing_is_undone_by_unpacking(texts: list[str]) -> None:
    pieces = [
        Piece(
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
