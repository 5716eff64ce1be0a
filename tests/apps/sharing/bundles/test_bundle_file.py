"""A bundle as a file: the same bytes for the same content, and every change is found."""

import io
import json
import struct
import zipfile
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from apps.sharing.bundles.bundle_file import MANIFEST, SCHEMA, BadBundle, pack, read_bundle

FILES = {
    "README.txt": b"hello\n",
    "lines.ndjson": b'{"n": 1, "text": "a line"}\n',
    "series/001.csv": b"at,value\n",
}
SEALED = pack(manifest={"schema": SCHEMA, "bundle": "BND-1"}, files=FILES)


def read(data: bytes) -> object:
    return read_bundle(io.BytesIO(data))


def rezipped(change: Callable[[dict[str, bytes]], None], *, packed: int = 0) -> bytes:
    with zipfile.ZipFile(io.BytesIO(SEALED)) as archive:
        parts = {each: archive.read(each) for each in archive.namelist()}
    change(parts)
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", packed) as archive:
        for name, data in parts.items():
            archive.writestr(zipfile.ZipInfo(name), data, compress_type=packed)
    return made.getvalue()


def test_what_was_packed_is_read() -> None:
    bundle = read_bundle(io.BytesIO(SEALED))

    assert bundle.files == FILES
    assert [each["path"] for each in bundle.manifest["files"]] == list(FILES)
    assert pack(manifest={"schema": SCHEMA, "bundle": "BND-1"}, files=FILES) == SEALED


def _changed(parts: dict[str, bytes]) -> None:
    parts["lines.ndjson"] = b'{"n": 1, "text": "a l1ne"}\n'


def _longer(parts: dict[str, bytes]) -> None:
    parts["lines.ndjson"] += b"{}\n"


def _gone(parts: dict[str, bytes]) -> None:
    del parts["lines.ndjson"]


def _more(parts: dict[str, bytes]) -> None:
    parts["evidence.json"] = b"[]"


def _outside(parts: dict[str, bytes]) -> None:
    parts["../../etc/cron.d/x"] = b"* * * * * root true\n"


def _absolute(parts: dict[str, bytes]) -> None:
    parts["/etc/passwd"] = b"root"


def _no_manifest(parts: dict[str, bytes]) -> None:
    del parts[MANIFEST]


def _other_schema(parts: dict[str, bytes]) -> None:
    parts[MANIFEST] = b'{"schema": "faultline.bundle/9", "files": []}'


def _no_json(parts: dict[str, bytes]) -> None:
    parts[MANIFEST] = b"[" * 100_000


def _no_list(parts: dict[str, bytes]) -> None:
    parts[MANIFEST] = json.dumps({"schema": SCHEMA, "files": "all"}).encode()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (_changed, "lines.ndjson was changed"),
        (_longer, "lines.ndjson was changed"),
        (_gone, "manifest and files differ: lines.ndjson"),
        (_more, "manifest and files differ: evidence.json"),
        (_outside, "a file that no bundle has: '../../etc/cron.d/x'"),
        (_absolute, "a file that no bundle has: '/etc/passwd'"),
        (_no_manifest, "no manifest.json"),
        (_other_schema, "not of the schema faultline.bundle/1"),
        (_no_json, "manifest.json is no JSON"),
        (_no_list, "lists no files"),
    ],
)
def test_a_change_is_found_and_named(change: Callable[[dict[str, bytes]], None], said: str) -> None:
    with pytest.raises(BadBundle, match=said.replace("(", r"\(")):
        read(rezipped(change))


def test_what_is_packed_again_or_compressed_is_no_bundle() -> None:
    with pytest.raises(BadBundle, match="belong to none of its files"):
        read(rezipped(lambda parts: None))
    with pytest.raises(BadBundle, match="packed in a way"):
        read(rezipped(lambda parts: None, packed=zipfile.ZIP_DEFLATED))


def test_bytes_that_no_file_owns_are_found() -> None:
    for data in (SEALED + b"hidden", b"hidden" + SEALED):
        with pytest.raises(BadBundle):
            read(data)


def test_a_file_that_says_it_is_larger_is_refused_before_it_is_read() -> None:
    directory = SEALED.rindex(b"PK\x01\x02")
    data = bytearray(SEALED)
    struct.pack_into("<II", data, directory + 20, 2**31, 2**31)

    with pytest.raises(BadBundle):
        read(bytes(data))


@pytest.mark.parametrize("data", [b"", b"PK", b"PK\x05\x06" + b"\0" * 18, b"\x1f\x8b" * 100])
def test_what_is_no_zip_is_told(data: bytes) -> None:
    with pytest.raises(BadBundle):
        read(data)


@given(at=st.integers(0, len(SEALED) - 1), bit=st.integers(0, 7))
@settings(max_examples=300)
def test_no_bit_can_be_turned(at: int, bit: int) -> None:
    data = bytearray(SEALED)
    data[at] ^= 1 << bit

    with pytest.raises(BadBundle):
        read(bytes(data))
