"""Bodies of logs, packed in each way that is taken."""

import gzip
import io
import tarfile
import zipfile

import zstandard


def tar() -> bytes:
    """Return a tar of one log."""
    body = io.BytesIO()
    with tarfile.open(fileobj=body, mode="w") as archive:
        member = tarfile.TarInfo("session/gpu1/rank0.log")
        member.size = 6
        archive.addfile(member, io.BytesIO(b"step 1"))
    return body.getvalue()


def zipped() -> bytes:
    """Return a zip of one log."""
    body = io.BytesIO()
    with zipfile.ZipFile(body, "w") as archive:
        archive.writestr("session/gpu1/rank0.log", "step 1")
    return body.getvalue()


BODIES = {
    "tar": tar(),
    "tar.gz": gzip.compress(tar()),
    "tar.zst": zstandard.compress(tar()),
    "zip": zipped(),
}
