"""Paths and addresses that are not there → the one that was probably meant."""

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Final

from apps.diagnosis.spelling import nearest, shown, slipped

MOST_COMPARED: Final = 2000  # names of one folder, and of those in it together
# `htp://n1:9090`, `http:/n1`, `http//n1`, `https:n1:9090`: meant for an address, not for a file.
ADDRESS: Final = re.compile(
    r"([A-Za-z][A-Za-z0-9+.-]*)(?::/*|//+)(.*)", re.ASCII | re.IGNORECASE | re.DOTALL
)
SCHEMES: Final = ("http", "https")


def address_meant(*, named: str) -> str:
    """Return what is wrong with the scheme of a server's address, empty for another text.

    Without what stands before the host: it may be a password.
    """
    found = ADDRESS.fullmatch(named)
    if found is None or Path(named).exists():
        return ""
    scheme = found[1].lower()
    meant = scheme if scheme in SCHEMES else slipped(word=scheme, known=SCHEMES)
    if meant is None and "://" not in named:
        return ""
    host, slash, path = found[2].partition("/")
    place = shown(word=f"{host.rpartition('@')[2]}{slash}{path}")
    hint = f"; did you mean `{meant}://{place}`?" if meant else ""
    return f"the address of a server begins with http:// or https://{hint}"


def path_meant(*, path: Path) -> str:
    """Return `; did you mean …?` to stand behind a refusal, empty where nothing is like it."""
    missing = next((each for each in (*reversed(path.parents), path) if not each.exists()), None)
    if missing is None:
        return ""
    beside = list(_names(missing.parent))
    name = nearest(word=missing.name, known=beside)
    found = missing.parent / name if name else _below(missing, beside)
    if found is None:
        return ""
    whole = found / path.relative_to(missing)
    return f"; did you mean `{whole if whole.exists() else found}`?"


def _below(missing: Path, beside: Iterable[str]) -> Path | None:
    """Return the path of nearly this name in a folder beside it, None where none or several are."""
    folders = [each for name in beside if (each := missing.parent / name).is_dir()]
    inside = (folder / name for folder in folders for name in _names(folder))
    paths = list(islice(inside, MOST_COMPARED))
    names = {path.name for path in paths}
    name = missing.name if missing.name in names else slipped(word=missing.name, known=names)
    found = [path for path in paths if path.name == name]
    return found[0] if len(found) == 1 else None


def _names(folder: Path) -> Iterator[str]:
    try:
        yield from (each.name for each in islice(folder.iterdir(), MOST_COMPARED))
    except OSError:
        return
