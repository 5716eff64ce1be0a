"""The variables that the code asks for."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]


def variables_in_code() -> list[str]:
    """Return every PORTAL_* variable that the wiring reads."""
    reads = re.compile(
        r"(?:text|number|days|switch|words|hosts|redis|choice|networks|environ\.get)\(\s*\"(PORTAL_[A-Z_]+)\""
    )
    text = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "portal").rglob("*.py"))
    internal = {"PORTAL_READY_FILE", "PORTAL_SECRET_KEYS_FILE"}
    return sorted(set(reads.findall(text)) - internal)
