"""What the published description says of receivers."""

from typing import Any

from tests.contracts.interface_file import WHOLE

DESCRIBED: dict[str, Any] = {
    path: methods["post"]
    for path, methods in WHOLE["paths"].items()
    if not path.startswith("/api/v1/o/")
}


def resolved(schema: dict[str, Any]) -> dict[str, Any]:
    """Return what a schema refers to, or itself."""
    name = schema.get("$ref", "").rpartition("/")[2]
    found: dict[str, Any] = WHOLE["components"]["schemas"].get(name, schema)
    return found
