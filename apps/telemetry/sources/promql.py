"""Selectors and moments as Prometheus writes them."""

from collections.abc import Mapping
from datetime import UTC, datetime
from types import MappingProxyType


def selector(*, metric: str, match: Mapping[str, str] = MappingProxyType({})) -> str:
    """Return a PromQL selector; a value that starts with `~` is a regular expression."""
    matchers = [
        f'{label}=~"{escape(value[1:])}"' if value.startswith("~") else f'{label}="{escape(value)}"'
        for label, value in sorted(match.items())
    ]
    return metric + ("{" + ",".join(matchers) + "}" if matchers else "")


def escape(text: str) -> str:
    """Return a label value as it may stand between double quotes in PromQL."""
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def second_text(value: float) -> str:
    """Return Unix seconds as short as they can be written."""
    return f"{value:.3f}".rstrip("0").rstrip(".")


def instant(second: float) -> datetime:
    """Return Unix seconds as an aware time."""
    return datetime.fromtimestamp(second, UTC)
