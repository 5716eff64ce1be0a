"""Explanations, their evidence and their sources in the words of an incident's page."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from apps.incidents.exports.blamed_parts import blamed
from apps.incidents.exports.export_format import Json
from apps.incidents.exports.sheet.instants import instant_text
from apps.wording.causes import spoken


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """One piece of evidence in words."""

    side: str
    at: str
    text: str
    source: str
    weight: str
    is_claimed: bool


def cause_name(slug: str | None) -> str:
    """Return what a cause is called; its slug where no table knows it."""
    return spoken(slug).name if slug else "not known"


def shared_text(shared: Json | None) -> str:
    """Return by whom something is shown; empty for one's own."""
    return f"shown by {shared['organization']}, {shared['level']}" if shared else ""


def hypothesis_text(told: Json) -> dict[str, Any]:
    """Return an explanation with its evidence, and how much others hold."""
    return {
        "layer": told["layer"],
        "cause": cause_name(told["cause"]),
        "share": f"{told['probability']:.0%}",
        "blamed": blamed(told["culprits"]),
        "is_hidden": told["culprits"] is None,
        "ruled_out": told["ruled_out_because"],
        "pieces": [_piece(side, each) for side in ("for", "against") for each in told[side]],
        "held": [
            f"{each['side']}: {each['count']} held by {each['organization']}, not shown "
            f"(weight {each['weight']:+.1f})"
            for each in told["held"]
        ],
    }


def _piece(side: str, item: Json) -> Piece:
    told = (str(item["source"] or ""), shared_text(item["shared"]))
    return Piece(
        side=side,
        at=instant_text(item["at"]),
        text=str(item["text"]),
        source=", ".join(filter(None, told)),
        weight=f"{item['weight']:+.1f}",
        is_claimed=bool(item["claimed"]),
    )


def missing_text(each: Json) -> dict[str, str]:
    """Return a source that would settle it."""
    return {
        "source": each["source"],
        "held_by": each["held_by"],
        "would": each["would"],
        "hosts": _few(each["hosts"] or ()),
    }


def _few(names: Sequence[str], *, most: int = 12) -> str:
    rest = len(names) - most
    return ", ".join(names[:most]) + (f" and {rest} more" if rest > 0 else "")


def coverage_text(each: Json) -> dict[str, str]:
    """Return whether a source was there."""
    told, expected = each["hosts_present"], each["hosts_expected"]
    hosts = f"{told} of {expected} hosts" if told is not None and expected is not None else ""
    return {
        "source": each["source"],
        "state": "hidden by policy" if each["state"] == "hidden" else each["state"],
        "hosts": hosts,
        "missing": _few(each["missing_hosts"] or ()),
        "held_by": each["held_by"] or "",
    }
