"""All style sheets as one file: a first visit asks once for what is written as a dozen."""

import hashlib
import secrets
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

from django.conf import settings
from django.contrib.staticfiles.finders import BaseFinder
from django.contrib.staticfiles.finders import find as found_at
from django.core.files.storage import FileSystemStorage

ADDRESS: Final = "css/portal.css"
# Of two rules that weigh the same the later counts: the theme is first, what fits screens last.
SHEETS: Final = (
    *("theme", "frame", "cards", "incident", "timeline", "pages", "bundles", "find", "fleet"),
    *("logs", "contrast", "screens"),
)


class OneSheet(BaseFinder):
    """Finds the one sheet, which each process writes anew when it starts to serve files."""

    def check(self, **_: Any) -> list[Any]:
        """Return what is wrong with its settings: it has none."""
        return []

    def find(self, path: str, find_all: bool = False, **_: Any) -> Any:  # noqa: FBT001, FBT002  the framework's
        """Return where the file of an address lies, if it is this one."""
        if path != ADDRESS:
            return []
        place = str(_written())
        return [place] if find_all else place

    def list(self, ignore_patterns: Iterable[str] | None) -> Iterator[tuple[str, Any]]:
        """Yield the one address, with the storage that holds it."""
        place = _written()
        yield ADDRESS, FileSystemStorage(location=place.parents[1])


def sheet() -> str:
    """Return all rules in their order, without comments and spaces that mean nothing."""
    texts = (Path(str(found_at(f"css/{name}.css"))).read_text("utf-8") for name in SHEETS)
    rules, *commented = "\n".join(texts).split("/*")
    rules += "".join(each.partition("*/")[2] for each in commented)
    # Every other piece is quoted, and stays as it is.
    pieces = " ".join(rules.split()).split('"')
    return '"'.join(each if place % 2 else tight(each) for place, each in enumerate(pieces))


def tight(rules: str) -> str:
    """Return rules without the spaces around braces, semicolons and commas, and after colons."""
    for mark in "{};,":
        rules = rules.replace(f" {mark}", mark).replace(f"{mark} ", mark)
    return rules.replace(": ", ":").replace(";}", "}")


def _written() -> Path:
    text = sheet()
    # By what is in it: a process of another version still serves its own, of the length it knows.
    folder = hashlib.sha256(text.encode()).hexdigest()[:16]
    try:
        return _kept(Path(settings.PORTAL_VAR) / "static" / folder / ADDRESS, text)
    except OSError:  # who brings its own keys and servers may have nothing to write there
        return _kept(Path(tempfile.mkdtemp(prefix="static-")) / ADDRESS, text)


def _kept(place: Path, text: str) -> Path:
    # One that is as it was keeps its time, by which browsers ask for it again.
    if place.exists() and place.read_text("utf-8") == text:
        return place
    place.parent.mkdir(parents=True, exist_ok=True)
    # Another process may write or serve it at this moment, in a container under the same number.
    draft = place.with_name(f"{place.name}.{secrets.token_hex(8)}")
    draft.write_text(text, "utf-8")
    draft.replace(place)
    return place
