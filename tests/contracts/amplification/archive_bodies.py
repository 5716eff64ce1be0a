"""Hostile archives: each kind of tar, with headers of any length."""

import gzip
import io
import tarfile
from collections.abc import Callable

from tests.contracts.amplification import readers
from tests.contracts.amplification.attempts import SIZE, add


def tars() -> None:
    def archive(fill: Callable[[tarfile.TarFile], None]) -> bytes:
        out = io.BytesIO()
        with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as tar:
            fill(tar)
        return out.getvalue()

    def member(name: str = "a.log", size: int = 0, **headers: str) -> tarfile.TarInfo:
        info = tarfile.TarInfo(name)
        info.size, info.pax_headers = size, headers
        return info

    small = archive(lambda tar: tar.addfile(member(size=2), io.BytesIO(b"a\n")))
    empty = archive(lambda tar: tar.addfile(member()))[:512]
    read = readers.tar

    def pax(count: int, one: bytes) -> bytes:
        body = one * count
        info = tarfile.TarInfo("pax")
        info.type, info.size = tarfile.XHDTYPE, len(body)
        return info.tobuf(tarfile.USTAR_FORMAT) + body + bytes(-len(body) % 512) + small

    def announced(kind: bytes, size: int) -> bytes:
        info = tarfile.TarInfo("long")
        info.type, info.size = kind, size
        return info.tobuf(tarfile.GNU_FORMAT) + b"x" * 600_000

    add("tar, empty members", read, lambda: empty * (SIZE // 512), small)
    add("tar, empty members packed", read, lambda: gzip.compress(empty * 400_000), small)
    add("tar, pax pairs", read, lambda: pax(SIZE // 7, b"7 a=bc\n"), small)
    add(
        "tar, different pax pairs",
        read,
        lambda: pax(1, b"".join(b"%d a%07d=b\n" % (14, n) for n in range(1_000_000))),
        small,
    )
    add("tar, pax packed", read, lambda: gzip.compress(pax(40_000_000, b"7 a=bc\n")), small)
    add(
        "tar, long name packed",
        read,
        lambda: gzip.compress(_long(tarfile.GNUTYPE_LONGNAME, 256 * 2**20)),
        small,
    )
    add(
        "tar, long link packed",
        read,
        lambda: gzip.compress(_long(tarfile.GNUTYPE_LONGLINK, 256 * 2**20)),
        small,
    )
    add(
        "tar, announced long name",
        read,
        lambda: announced(tarfile.GNUTYPE_LONGNAME, 2**33 - 1),
        small,
    )
    add("tar, announced pax", read, lambda: announced(tarfile.XHDTYPE, 2**33 - 1), small)
    add("tar, global pax", read, lambda: _global(empty), small)
    add("tar, sparse", read, _sparse, small)
    add(
        "tar, chain of long names",
        read,
        lambda: _long(tarfile.GNUTYPE_LONGNAME, 1) * 5000 + small,
        small,
    )


def _long(kind: bytes, size: int) -> bytes:
    info = tarfile.TarInfo("long")
    info.type, info.size = kind, size
    return info.tobuf(tarfile.GNU_FORMAT) + b"x" * size + bytes(-size % 512)


def _global(empty: bytes) -> bytes:
    body = b"".join(b"14 a%07d=b\n"[:0] + b"%d a%07d=b\n" % (13, n) for n in range(100_000))
    info = tarfile.TarInfo("pax")
    info.type, info.size = tarfile.XGLTYPE, len(body)
    return info.tobuf(tarfile.USTAR_FORMAT) + body + bytes(-len(body) % 512) + empty * 5000


def _sparse() -> bytes:
    """Return a member of GNU's old sparse format with a map as long as the file."""
    info = tarfile.TarInfo("a.log")
    info.type, info.size = tarfile.GNUTYPE_SPARSE, 0
    head = bytearray(info.tobuf(tarfile.GNU_FORMAT))
    head[482] = 1
    head[148:156] = b" " * 8
    head[148:156] = b"%06o\0 " % sum(head)
    block = (b"00000000001\0" + b"00000000000\0") * 21 + b"\1" + bytes(7)
    return bytes(head) + block * (SIZE // 512)
