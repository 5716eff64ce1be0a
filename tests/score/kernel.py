"""Recorded kernel lines: codes, addresses, sub-codes and actions as others read them."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from apps.diagnosis.logs.pci import normalised
from apps.diagnosis.model import Event, Origin
from apps.diagnosis.signatures.read import read_source
from tests.score.measures import Measure

# How the recorded vectors name an action → the actions of ours that mean it.
SAME_ACTION = {
    "COMPONENT_RESET": {"reset-gpu", "drain-peers"},
    "NONE": {"ignore", "reset-later", "restart-app", "follow-previous", "follow-154"},
    "CONTACT_SUPPORT": {"contact-support", "check-power", "update-software", "check-uvm"},
    "RESTART_BM": {"reboot-node"},
    "RESTART_VM": {"restart-vm"},
}
LOSSES = frozenset({"nvrm-fallen-off", "nvrm-fallen-off-probe"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """One recorded text and whether it was read as recorded."""

    kind: str
    name: str
    is_known: bool  # it carries a code
    is_right: bool


def vectors(*, path: Path) -> list[Checked]:
    """Return what was read of every vector of the file."""
    return [_vector(number, entry) for number, entry in enumerate(_entries(path), 1)]


def lines(*, path: Path) -> list[Checked]:
    """Return whether the code of every recorded line was read, and none where there is none."""
    return [_line(number, entry) for number, entry in enumerate(_entries(path), 1)]


def part(*, folder: Path) -> tuple[list[Measure], list[str]] | None:
    """Return the rows and misses of the recorded lines below `folder`, None where they are not."""
    paths = [folder / "xid_vectors/vectors.jsonl", folder / "kernel_log_lines/lines.jsonl"]
    if not all(path.is_file() for path in paths):
        return None
    of_vectors, of_lines = vectors(path=paths[0]), lines(path=paths[1])
    return measures(of_vectors=of_vectors, of_lines=of_lines), failures(
        found=[*of_vectors, *of_lines]
    )


def measures(*, of_vectors: Sequence[Checked], of_lines: Sequence[Checked]) -> list[Measure]:
    """Return one row for the vectors, and two for the lines: with a code and without."""
    coded = [one for one in of_lines if one.is_known]
    plain = [one for one in of_lines if not one.is_known]
    return [
        _measure("xid vectors: code, address, sub-code, action, no double", of_vectors, 1.0),
        _measure("kernel log lines: code where one is known", coded, 0.98),
        _measure("kernel log lines: no code where none is", plain, 0.98),
    ]


def failures(*, found: Sequence[Checked]) -> list[str]:
    """Return a line for each miss: its place in the file, no text of it."""
    return [f"{one.name} ({one.kind}) was read otherwise" for one in found if not one.is_right]


def _measure(name: str, found: Sequence[Checked], at_least: float) -> Measure:
    hits = sum(one.is_right for one in found)
    return Measure(name=name, hits=hits, n=len(found), at_least=at_least)


def _entries(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def _said(text: str) -> tuple[Event, ...]:
    return read_source(origin=Origin(source="kernel"), text=text).events


def _vector(number: int, entry: dict[str, Any]) -> Checked:
    told, kind = _said(entry["line"]), str(entry["kind"])
    if kind == "xid":
        is_right = len(told) == 1 and _is_xid(told[0], entry)
    elif kind.startswith("sxid"):
        is_right = len(told) == 1 and _is_sxid(told[0], entry)
    elif kind.startswith("gpu_fallen"):
        # One incident in any case: by its own words, or by the Xid that follows them.
        is_right = len(told) == 1 and (told[0].signature in LOSSES) == entry["event"]
    else:
        is_right = not any({"xid", "sxid"} & set(one.fields) for one in told)
    return Checked(
        kind=kind, name=f"vector {number}", is_known="none" not in kind, is_right=is_right
    )


def _is_xid(told: Event, entry: dict[str, Any]) -> bool:
    fields = told.fields
    return (
        fields.get("xid") == str(entry["xid"])
        and fields.get("pci") == normalised(address=entry["pci"])
        and fields.get("subcode") == entry.get("subcode")
        and fields.get("action") in SAME_ACTION[entry["action"]]
    )


def _is_sxid(told: Event, entry: dict[str, Any]) -> bool:
    link = entry.get("link")
    return told.fields.get("sxid") == str(entry["sxid"]) and told.fields.get("link") == (
        None if link is None else str(link)
    )


def _line(number: int, entry: dict[str, Any]) -> Checked:
    fields = [one.fields for one in _said(entry["line"])]
    read = {name: int(one[name]) for one in fields for name in ("xid", "sxid") if name in one}
    recorded = (entry["xid"], entry["sxid"])
    return Checked(
        kind="line",
        name=f"line {number}",
        is_known=recorded != (None, None),
        is_right=(read.get("xid"), read.get("sxid")) == recorded,
    )
