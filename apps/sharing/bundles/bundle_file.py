"""A bundle as a file: a ZIP whose every byte follows from what is in it, and the check of one.

Nothing is compressed and nothing is dated, so the same content is the same file everywhere, and
what the manifest does not tell of can't hide in it. Plain Python: it is checked without a portal.
"""

import hashlib
import io
import json
import re
import struct
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from typing import IO, Any, Final

SCHEMA: Final = "faultline.bundle/1"
MANIFEST: Final = "manifest.json"
NAMES: Final = re.compile(
    r"README\.txt|lines\.ndjson|evidence\.json|sessions\.json|series/index\.json|series/[0-9]{3}\.csv"
)
MOST_BYTES: Final = 32 * 2**20
MOST_FILES: Final = 300
WHEN: Final = (1980, 1, 1, 0, 0, 0)  # the first day that the format knows


class BadBundle(ValueError):
    """A file is no bundle, or not the one that was made; the text says what is wrong."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BundleFile:
    """A bundle that holds what its manifest says."""

    manifest: Mapping[str, Any]
    files: Mapping[str, bytes]
    digest: str  # SHA-256 of the whole


def pack(*, manifest: Mapping[str, Any], files: Mapping[str, bytes]) -> bytes:
    """Return the file; the manifest gets the size and digest of each part."""
    listed = [
        {"path": name, "bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
        for name, data in files.items()
    ]
    return _zipped({MANIFEST: plain_json({**manifest, "files": listed}), **files})


def plain_json(value: object) -> bytes:
    """Return JSON for people and programs, the same for the same value."""
    text = json.dumps(value, ensure_ascii=False, indent=1, sort_keys=True, allow_nan=False)
    return f"{text}\n".encode()


def read_bundle(source: IO[bytes], /) -> BundleFile:
    """Return what a bundle holds. Raises BadBundle for one that is not as it was made."""
    data = source.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise BadBundle(f"it is larger than {MOST_BYTES // 2**20} MiB, which no bundle is")
    parts = _parts(data)
    manifest = _manifest(parts)
    files = {name: body for name, body in parts.items() if name != MANIFEST}
    _check_listed(manifest, files)
    if _zipped(parts) != data:
        raise BadBundle("it holds bytes that belong to none of its files")
    return BundleFile(manifest=manifest, files=files, digest=hashlib.sha256(data).hexdigest())


def _parts(data: bytes) -> dict[str, bytes]:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            entries = archive.infolist()
            _check_entries(entries)
            return {each.filename: archive.read(each) for each in entries}
    # What a forged directory makes the module raise is of many kinds.
    except (zipfile.BadZipFile, OSError, EOFError, ValueError, RuntimeError, struct.error) as error:
        if isinstance(error, BadBundle):
            raise
        raise BadBundle("it is no ZIP file, or a damaged one") from None
    except NotImplementedError:
        raise BadBundle("it is packed in a way that no bundle is") from None


def _check_entries(entries: list[zipfile.ZipInfo]) -> None:
    """Refuse names that lead elsewhere, and contents that grow, before anything is read."""
    names = [each.filename for each in entries]
    if len(names) > MOST_FILES or len(set(names)) != len(names):
        raise BadBundle("it holds too many files, or one name twice")
    for each in entries:
        if each.filename != MANIFEST and not NAMES.fullmatch(each.filename):
            raise BadBundle(f"it holds a file that no bundle has: {each.filename[:80]!r}")
        if each.compress_type != zipfile.ZIP_STORED or each.file_size != each.compress_size:
            raise BadBundle("it is packed in a way that no bundle is")
    if sum(each.file_size for each in entries) > MOST_BYTES:
        raise BadBundle("its files are larger than it is")


def _manifest(parts: Mapping[str, bytes]) -> Mapping[str, Any]:
    try:
        manifest = json.loads(parts[MANIFEST])
    except KeyError:
        raise BadBundle("it has no manifest.json") from None
    except (ValueError, RecursionError):
        raise BadBundle("its manifest.json is no JSON") from None
    if not isinstance(manifest, dict) or manifest.get("schema") != SCHEMA:
        raise BadBundle(f"its manifest is not of the schema {SCHEMA}")
    return manifest


def _check_listed(manifest: Mapping[str, Any], files: Mapping[str, bytes]) -> None:
    listed = manifest.get("files")
    if not isinstance(listed, list) or not all(isinstance(each, dict) for each in listed):
        raise BadBundle("its manifest lists no files")
    told = {str(each.get("path")): each for each in listed}
    if told.keys() != files.keys() or len(listed) != len(files):
        odd = sorted(told.keys() ^ files.keys())
        raise BadBundle(f"manifest and files differ: {', '.join(odd)[:200] or 'one is told twice'}")
    for name, data in files.items():
        same = (told[name].get("bytes"), told[name].get("sha256"))
        if same != (len(data), hashlib.sha256(data).hexdigest()):
            raise BadBundle(f"{name} was changed after the bundle was made")


def _zipped(parts: Mapping[str, bytes]) -> bytes:
    sealed = io.BytesIO()
    with zipfile.ZipFile(sealed, "w", zipfile.ZIP_STORED) as archive:
        for name, data in parts.items():
            entry = zipfile.ZipInfo(name, date_time=WHEN)
            entry.create_system = 3
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, data)
    return sealed.getvalue()
