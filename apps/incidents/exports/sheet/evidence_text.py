"""Explanations, their evidence and their sources in the words of an incident's page."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from apps.incidents.exports.export_format import Json
from apps.incidents.exports.plain_words import (
    PartyNames,
    blamed_text,
    cause_text,
    counted,
    hosts_heard,
    layer_text,
    role_text,
    source_text,
    spaced,
    state_text,
)
from apps.incidents.exports.sheet.instants import instant_text


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """One piece of evidence in words."""

    side: str
    at: str
    text: str
    source: str
    weight: str
    is_claimed: bool


def hypothesis_text(told: Json, parties: PartyNames) -> dict[str, Any]:
    """Return an explanation with its evidence, and how much others hold."""
    return {
        "layer": layer_text(told["layer"]),
        "cause": cause_text(told["cause"]),
        "share": f"{told['probability']:.0%}",
        "blamed": blamed_text(told["culprits"]),
        "is_hidden": told["culprits"] is None,
        "ruled_out": told["ruled_out_because"],
        "pieces": [
            _piece(side, each, parties) for side in ("for", "against") for each in told[side]
        ],
        "held": [_held(each, parties) for each in told["held"]],
    }


def _held(each: Json, parties: PartyNames) -> str:
    who, weight = parties.of(each["organization"]), f"{each['weight']:+.1f}"
    return f"{each['side']}: {each['count']} held by {who}, not shown (weight {weight})"


def _piece(side: str, item: Json, parties: PartyNames) -> Piece:
    told = (str(item["source"] or ""), parties.shared(item["shared"]))
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
        "source": source_text(each["source"]),
        "held_by": role_text(each["held_by"]),
        "would": each["would"],
        "hosts": _few(each["hosts"] or ()),
    }


def _few(names: Sequence[str], *, most: int = 12) -> str:
    rest = len(names) - most
    return ", ".join(names[:most]) + (f" and {rest} more" if rest > 0 else "")


def coverage_text(each: Json) -> dict[str, str]:
    """Return whether a source was there."""
    return {
        "source": source_text(each["source"]),
        "state": state_text(each["state"]),
        "hosts": hosts_heard(each),
        "missing": _few(each["missing_hosts"] or ()),
        "held_by": role_text(each["held_by"]),
    }


def session_text(each: Json, parties: PartyNames) -> dict[str, str]:
    """Return a session that another party shows."""
    return {
        "name": each["name"] or "a session",
        "state": spaced(each["state"]) or "state not told",
        "hosts": counted(each["host_count"], "host"),
        "shared": parties.shared(each["shared"]),
    }


def change_text(each: Json, parties: PartyNames) -> dict[str, str]:
    """Return a change around the incident: when, what, where and who."""
    versions = " → ".join(filter(None, (each["before"], each["after"])))
    hosts = each["hosts"]
    where = "nodes hidden by policy" if hosts is None else _few(hosts) or "the whole cluster"
    who = (parties.of(each["told_by"]), each["by"], each["reference"])
    return {
        "at": instant_text(each["starts_at"]),
        "until": instant_text(each["ends_at"]),
        "what": " ".join(filter(None, (spaced(each["kind"]), versions))),
        "title": each["title"],
        "where": where,
        "layer": layer_text(each["layer"]),
        "who": ", ".join(filter(None, who)),
    }
