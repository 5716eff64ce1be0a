"""What the published description says of receivers."""

from pathlib import Path
from typing import Any

import yaml

FILE = Path(__file__).parents[2] / "docs" / "openapi.yaml"
_WHOLE: dict[str, Any] = yaml.safe_load(FILE.read_text(encoding="utf-8"))
DESCRIBED: dict[str, Any] = {
    path: methods["post"]
    for path, methods in _WHOLE["paths"].items()
    if not path.startswith("/api/v1/o/")
}


def resolved(schema: dict[str, Any]) -> dict[str, Any]:
    """Return what a schema refers to, or itself."""
    name = schema.get("$ref", "").rpartition("/")[2]
    found: dict[str, Any] = _WHOLE["components"]["schemas"].get(name, schema)
    return found
