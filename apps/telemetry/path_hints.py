"""Paths that are not there → the one beside it that was probably meant."""

from itertools import islice
from pathlib import Path
from typing import Final

from apps.diagnosis.spelling import nearest

MOST_COMPARED: Final = 2000  # names of one folder


def path_meant(*, path: Path) -> str:
    """Return `; did you mean …?` to stand behind a refusal, empty where nothing is like it."""
    missing = next((each for each in (*reversed(path.parents), path) if not each.exists()), None)
    if missing is None:
        return ""
    try:
        beside = [each.name for each in islice(missing.parent.iterdir(), MOST_COMPARED)]
    except OSError:
        return ""
    name = nearest(word=missing.name, known=beside)
    if name is None:
        return ""
    found = missing.parent / name
    whole = found / path.relative_to(missing)
    return f"; did you mean `{whole if whole.exists() else found}`?"
