"""The published description of the interface."""

from pathlib import Path
from typing import Any

import yaml

FILE = Path(__file__).parents[2] / "docs" / "openapi.yaml"
WHOLE: dict[str, Any] = yaml.load(FILE.read_text("utf-8"), Loader=yaml.CSafeLoader)
