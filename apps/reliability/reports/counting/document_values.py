"""What a report consists of: figures and tables of plain values, frozen as JSON when it is issued.

No sentence is in it: titles, units and reasons are put into words where somebody reads it.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from apps.diagnosis.intervals import HitShare
from apps.reliability.period.scopes import Counted, Figure

SCHEMA: Final = "faultline.report/2"
DIGITS: Final = 6  # behind the point, so that a sum in another order is the same number
MOST_ROWS: Final = 1000  # of a table; what is left out is counted
Json = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """A column of a table: its name, and how its values are written.

    Kinds: text slug layer cause party host incident instant count seconds hours share ratio flag.
    A `share` is {"hits", "n", "low", "high"}; what is not known or hidden is null. Of its row an
    `absence` says why, and `at-least` whether its hours are not all.
    """

    key: str
    kind: str


def table(key: str, columns: Sequence[Column], rows: Sequence[Mapping[str, Any]]) -> Json:
    """Return a table as JSON, its rows in the order given."""
    return {
        "key": key,
        "columns": [{"key": each.key, "kind": each.kind} for each in columns],
        "rows": [{each.key: row[each.key] for each in columns} for row in rows[:MOST_ROWS]],
        "left_out": max(0, len(rows) - MOST_ROWS),
    }


def figure_json(key: str, unit: str, figure: Figure) -> Json:
    """Return a figure as JSON. Units: count hours seconds ratio gpu-hours days."""
    interval = figure.interval
    return {
        "key": key,
        "unit": unit,
        "value": rounded(figure.value),
        "n": figure.n,
        "interval": [rounded(each) for each in interval] if interval else None,
        "absence": figure.absence.value if figure.absence else None,
        "at_least": figure.is_at_least,
        "counted": counted_json(figure.counted),
    }


def share_json(share: HitShare) -> Json:
    """Return a share with its interval; of nothing both are null."""
    low, high = share.interval if share.n else (None, None)
    return {"hits": share.hits, "n": share.n, "low": rounded(low), "high": rounded(high)}


def counted_json(counted: Counted | None) -> Json | None:
    """Return what a figure counts."""
    if counted is None:
        return None
    return {"kind": counted.kind.value, "count": counted.count, "ids": list(counted.ids)}


def rounded(value: float | None) -> float | None:
    """Return a number with as many digits as reports keep."""
    return None if value is None else round(float(value), DIGITS)


def instant_json(at: datetime | None) -> str | None:
    """Return an instant in UTC."""
    return at.astimezone(UTC).isoformat().replace("+00:00", "Z") if at else None


def digest_of(document: Mapping[str, Any]) -> str:
    """Return the SHA-256 of a document: equal figures give equal digests, for every party."""
    words = json.dumps(document, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(words.encode()).hexdigest()
