"""The published description of the interface."""

from pathlib import Path

FILE = Path(__file__).parents[2] / "docs" / "openapi.yaml"
