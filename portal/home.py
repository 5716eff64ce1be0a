"""Where the portal's own files are: in a checkout, or installed as a package.

An installed one has templates and static files inside `portal`, where Django's loaders of apps
look, and may not write beside its code.
"""

import os
from pathlib import Path

CHECKOUT = "manage.py"


def data(*, base: Path) -> Path:
    """Return where run-time data is kept unless PORTAL_VAR says: `var`, or the user's data."""
    if (base / CHECKOUT).is_file():
        return base / "var"
    usual = Path.home() / ".local" / "share"
    return Path(os.environ.get("XDG_DATA_HOME") or usual) / "faultline"


def folders(*, base: Path, name: str) -> list[Path]:
    """Return the folder of this name in a checkout; none where it is installed."""
    found = base / name
    return [found] if (base / CHECKOUT).is_file() and found.is_dir() else []
