"""Named arrays and a JSON head ↔ one compressed body. Never: pickled objects."""

import json
from collections.abc import Mapping
from typing import Any, Final

import numpy as np
import zstandard
from numpy.typing import NDArray

MAGIC: Final = b"FLW\x01"
# Bytes between the beginnings of arrays: whole words.
WORD: Final = 8
# Fast rather than small: a live cycle packs and unpacks tens of megabytes.
LEVEL: Final = 1
MOST_BYTES: Final = 4 * 2**30
KINDS: Final = frozenset("biufU")

Named = Mapping[str, NDArray[Any]]


class UnreadableState(ValueError):
    """The body was not written by this version, or is damaged."""


def packed(*, head: Mapping[str, Any], arrays: Named) -> bytes:
    """Return a body with the head and the arrays."""
    table = [[name, values.dtype.str, list(values.shape)] for name, values in arrays.items()]
    text = json.dumps({"head": head, "arrays": table}, separators=(",", ":")).encode()
    parts = [len(text).to_bytes(WORD, "little"), text, bytes(-len(text) % WORD)]
    for values in arrays.values():
        parts += [values.tobytes(), bytes(-values.nbytes % WORD)]
    return MAGIC + zstandard.ZstdCompressor(level=LEVEL).compress(b"".join(parts))


def unpacked(body: bytes) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Return head and arrays, which can't be written into. Raises Unreadable."""
    if not body.startswith(MAGIC):
        raise UnreadableState("not a memory of this version")
    try:
        plain = zstandard.ZstdDecompressor().decompress(
            body[len(MAGIC) :], max_output_size=MOST_BYTES
        )
        size = int.from_bytes(plain[:WORD], "little")
        told = json.loads(plain[WORD : WORD + size])
        at, arrays = WORD + size + -size % WORD, {}
        for name, code, shape in told["arrays"]:
            dtype = np.dtype(code)
            if dtype.kind not in KINDS:
                raise UnreadableState(f"{name}: arrays of {code} are not kept")
            count = int(np.prod(shape, dtype=np.int64))
            arrays[name] = np.frombuffer(plain, dtype, count, at).reshape(shape)
            at += count * dtype.itemsize + -(count * dtype.itemsize) % WORD
    except (zstandard.ZstdError, KeyError, TypeError, ValueError) as error:
        raise UnreadableState(str(error)) from error
    return told["head"], arrays
