"""Which edition of the knowledge is in force: what is judged today was said by these tables."""

import hashlib
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

PACKAGES = ("causes", "signatures", "detection.metrics")


@cache
def edition() -> str:
    """Return the same short text for the same tables of causes, signatures and metrics."""
    digest = hashlib.blake2b(digest_size=6)
    for package in PACKAGES:
        for table in _tables(files(f"apps.diagnosis.{package}")):
            digest.update(f"{package.rpartition('.')[2]}/{table.name}".encode())
            digest.update(table.read_bytes())
    return digest.hexdigest()


def _tables(folder: Traversable) -> Iterator[Traversable]:
    for entry in sorted(folder.iterdir(), key=lambda one: one.name):
        if entry.name.endswith(".toml"):
            yield entry
