"""What of a file goes into the tar: whole, or its two ends, or not at all."""

import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from apps.collect import bundle
from apps.collect.bundle import BundleItem
from apps.collect.redact import Hide, Redaction
from tests.collect.collecting import inside

AT = datetime(2026, 11, 20, tzinfo=UTC)
SECRETS = frozenset({Hide.SECRETS})


def _packed(
    folder: Path, item: BundleItem, hides: frozenset[Hide] = SECRETS
) -> tuple[dict[str, Any], str | None]:
    """Return what the manifest says of a file, and its text in the tar."""
    into = folder / "a.tar.gz"
    (entry,) = bundle.write(
        into=into, items=[item], redaction=Redaction(hides=hides), about={}, at=AT
    )
    return entry, inside(into).get(item.name)


def _item(path: Path, **more: Any) -> BundleItem:
    return BundleItem(name="session/a.log", asked="a.log", path=path, **more)


@pytest.mark.parametrize(
    ("lines", "left_out"),
    [(4, None), (6, None), (7, 10), (9, 30)],
    ids=["less", "most", "one more", "more"],
)
def test_of_a_large_file_its_two_ends_are_packed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lines: int, left_out: int | None
) -> None:
    monkeypatch.setattr(bundle, "HEAD_BYTES", 20)
    monkeypatch.setattr(bundle, "MOST_FILE_BYTES", 60)
    said = [f"line {number:4}\n" for number in range(lines)]
    (tmp_path / "a.log").write_text("".join(said))

    entry, text = _packed(tmp_path, _item(tmp_path / "a.log"))

    mark = [f"[faultline collect: {left_out + 10} bytes left out here]\n"] if left_out else []
    kept = [*said[:2], *mark, *said[2 + (left_out + 10) // 10 :]] if left_out else said
    assert text == "".join(kept)
    assert entry.get("bytes_left_out") == left_out


def test_an_empty_file_is_text_and_so_is_one_with_a_zero(tmp_path: Path) -> None:
    for said in (b"", b"\0" * 40 + b"step 1\n"):
        (tmp_path / "a.log").write_bytes(said)
        assert _packed(tmp_path, _item(tmp_path / "a.log"), frozenset(Hide))[1] == said.decode()
        (tmp_path / "a.tar.gz").unlink()


def test_what_is_no_text_is_packed_where_no_name_has_to_be_hidden(tmp_path: Path) -> None:
    (tmp_path / "a.log").write_bytes(b"\1\2\3dump")
    assert _packed(tmp_path, _item(tmp_path / "a.log"))[1] == "\1\2\3dump"
    (tmp_path / "a.tar.gz").unlink()
    entry, text = _packed(tmp_path, _item(tmp_path / "a.log"), SECRETS | {Hide.USERS})
    assert (entry["missing"], text) == ("it is not text: names in it can't be hidden", None)


def test_a_file_that_the_jobs_user_named_is_neither_followed_nor_waited_for(
    tmp_path: Path,
) -> None:
    (tmp_path / "a.log").write_text("step 1\n")
    (tmp_path / "link").symlink_to("a.log")
    os.mkfifo(tmp_path / "fifo")
    mine = {"owner": os.geteuid(), "is_chosen": True}
    for name, missing in (
        ("link", "it is a link"),
        ("fifo", "it is no file"),
        ("gone", "No such file or directory"),
    ):
        entry, _ = _packed(tmp_path, _item(tmp_path / name, **mine))
        assert entry["missing"] == missing
        (tmp_path / "a.tar.gz").unlink()
    assert _packed(tmp_path, _item(tmp_path / "a.log", **mine))[1] == "step 1\n"


def test_a_file_that_was_asked_for_is_followed_wherever_it_leads(tmp_path: Path) -> None:
    (tmp_path / "a.log").write_text("step 1\n")
    (tmp_path / "link").symlink_to("a.log")
    assert _packed(tmp_path, _item(tmp_path / "link", owner=1001))[1] == "step 1\n"
