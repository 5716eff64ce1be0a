"""What the published description says of receivers."""

from pathlib import Path
from typing import Any

import yaml

FILE = Path(__file__).parents[2] / "docs" / "openapi.yaml"
DESCRIBED: dict[str, Any] = {
    path: methods["post"]
    for path, methods in yaml.safe_load(FILE.read_text(encoding="utf-8"))["paths"].items()
    if not path.startswith("/api/v1/o/")
}
