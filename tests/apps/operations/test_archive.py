"""An archive is read as it was written, or not at all; the files of a storage likewise."""

import io
import random
import stat
import tarfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from apps.operations.backup import archive as archives
from apps.operations.backup import files
from apps.operations.backup.archive import ArchiveReader, Damaged, Manifest, Writer

EMPTY = Manifest(
    made_at="2026-11-22T03:00:00+00:00",
    server_version=180000,
    migrations=(("tenancy", "0001_initial"),),
    tables=(),
    files=(),
    sequences={"one_id_seq": 4711},
    key_mark="",
)
ROWS = [random.Random(7).randbytes(9_000), b"rows " * 4_000]  # noqa: S311  no secret


def written(path: Path, names: tuple[str, ...] = ("uploads/one", "two")) -> Path:
    """Write a small backup with one table and some files."""
    writer = Writer(path)
    table = writer.add(kind="table", name="rows", chunks=ROWS, columns=("id", "text"))
    kept = [writer.add(kind="file", name=each, chunks=[each.encode() * 99]) for each in names]
    writer.finish(replace(EMPTY, tables=(replace(table, row_count=2),), files=tuple(kept)))
    return path


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    """A small backup."""
    return written(tmp_path / "backup.tar")


def content(path: Path) -> tuple[Manifest, list[bytes]]:
    """Return all that a backup says and holds; raise Damaged."""
    with ArchiveReader(path) as reader:
        items = [("table", each) for each in reader.manifest.tables]
        items += [("file", each) for each in reader.manifest.files]
        return reader.manifest, [b"".join(reader.chunks(kind=k, item=i)) for k, i in items]


def outcomes(path: Path, bodies: Iterator[bytes]) -> tuple[list[tuple[Manifest, list[bytes]]], int]:
    """Return what was read of bodies that were taken, and how many were refused."""
    taken, refused_count = [], 0
    for body in bodies:
        path.write_bytes(body)
        try:
            taken.append(content(path))
        except Damaged:
            refused_count += 1
    return taken, refused_count


def test_a_byte_that_changed_anywhere_is_refused_or_makes_no_difference(
    archive: Path, tmp_path: Path
) -> None:
    whole, chance = archive.read_bytes(), random.Random(1)  # noqa: S311  no secret
    places = sorted(chance.sample(range(len(whole)), 300))
    changed = (
        whole[:at] + bytes([whole[at] ^ (1 << chance.randrange(8))]) + whole[at + 1 :]
        for at in places
    )

    taken, refused_count = outcomes(tmp_path / "changed.tar", changed)

    # What tar pads with is nobody's; everything else has a digest.
    assert all(each == content(archive) for each in taken)
    assert refused_count > 100


def test_a_manifest_that_changed_is_refused_also_where_it_still_reads_well(
    archive: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other.tar"
    other.write_bytes(archive.read_bytes().replace(b"4711", b"4712"))

    with pytest.raises(Damaged, match="manifest is not what was written"):
        ArchiveReader(other)


def test_the_first_part_of_a_backup_is_none(archive: Path, tmp_path: Path) -> None:
    whole = archive.read_bytes()
    end = whole.rindex(b"manifest.sha256")

    taken, refused_count = outcomes(
        tmp_path / "cut.tar", (whole[: end * step // 40] for step in range(40))
    )

    assert (taken, refused_count) == ([], 40)


def test_one_of_before_manifests_were_sealed_is_read_on(archive: Path, tmp_path: Path) -> None:
    whole, old = archive.read_bytes(), tmp_path / "old.tar"
    before_the_seal = whole[: whole.rindex(archives.SEAL.encode())]
    old.write_bytes(
        before_the_seal.replace(archives.SCHEMA.encode(), archives.UNSEALED.encode()) + bytes(1024)
    )

    manifest, bodies = content(old)

    assert manifest.schema == archives.UNSEALED
    assert bodies == content(archive)[1]


def test_a_file_of_somebody_else_is_told_as_such(tmp_path: Path) -> None:
    empty, text, tar = (tmp_path / name for name in ("empty", "text", "some.tar"))
    empty.write_bytes(b"")
    text.write_text("no backup at all")
    with tarfile.open(tar, "w") as made:
        made.addfile(tarfile.TarInfo("README"), io.BytesIO(b""))

    for path, said in (
        (empty, "is no backup"),
        (text, "is no backup"),
        (tar, "has no manifest.json"),
        (tmp_path, "Is a directory"),
        (tmp_path / "nowhere.tar", "No such file"),
    ):
        with pytest.raises(CommandError, match=said):
            call_command("restore", str(path))


def test_a_file_that_somebody_put_there_before_gets_nothing_of_a_backup(tmp_path: Path) -> None:
    path, trap = tmp_path / "today.tar", tmp_path / ".today.tar.part"
    trap.write_bytes(b"")
    trap.chmod(0o666)
    writer = Writer(path)
    writer.add(kind="file", name="secret", chunks=[b"secret"])
    writer.finish(EMPTY)

    assert trap.read_bytes() == b""
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.fixture
def storage(tmp_path: Path) -> Path:
    """A place for files, not made yet."""
    return tmp_path / "storage"


def placed(storage: Path) -> dict[str, bytes]:
    """Return what lies in a storage, hidden things too."""
    return {
        path.relative_to(storage).as_posix(): path.read_bytes()
        for path in storage.rglob("*")
        if path.is_file()
    }


def test_files_come_back_whole_for_their_owner_alone(archive: Path, storage: Path) -> None:
    with ArchiveReader(archive) as reader, files.put_back(reader=reader, storage=storage):
        pass

    assert placed(storage) == {"uploads/one": b"uploads/one" * 99, "two": b"two" * 99}
    assert stat.S_IMODE((storage / "two").stat().st_mode) == 0o600


def test_files_are_taken_out_again_when_what_they_belong_to_fails(
    archive: Path, storage: Path
) -> None:
    with (
        ArchiveReader(archive) as reader,
        pytest.raises(OSError, match="No space left"),
        files.put_back(reader=reader, storage=storage),
    ):
        raise OSError(28, "No space left on device")

    assert placed(storage) == {}


def test_what_a_killed_restore_left_is_known_and_nothing_else(archive: Path, storage: Path) -> None:
    (storage / "uploads").mkdir(parents=True)
    (storage / files.ASIDE).mkdir()
    (storage / "uploads" / "one").write_bytes(b"uploads/one" * 99)
    (storage / files.ASIDE / "two").write_bytes(b"half of it")
    with ArchiveReader(archive) as reader:
        assert files.strangers(storage=storage, items=reader.manifest.files) == []
        (storage / "two").write_bytes(b"of somebody else")
        assert files.strangers(storage=storage, items=reader.manifest.files) == ["two"]


def test_a_name_that_leads_out_of_the_storage_is_refused(tmp_path: Path, storage: Path) -> None:
    path = written(tmp_path / "odd.tar", names=("../../escaped",))

    with (
        ArchiveReader(path) as reader,
        pytest.raises(Damaged, match="outside the storage"),
        files.put_back(reader=reader, storage=storage),
    ):
        pass
    assert not (tmp_path.parent / "escaped").exists()
