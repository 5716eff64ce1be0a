"""What a recipient reads of a bundle without unpacking it."""

import io
import json
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from apps.sharing.bundles.bundle_contents import BundleSection
from apps.sharing.bundles.bundle_file import read_bundle

Contents: TypeAlias = Mapping[str, Sequence[Mapping[str, Any]]]


def shown_contents(body: bytes) -> Contents:
    """Return section → its rows, in the form that a preview has."""
    files = read_bundle(io.BytesIO(body)).files
    lines = [json.loads(line) for line in files.get("lines.ndjson", b"").splitlines()]
    evidence = json.loads(files.get("evidence.json", b"[]"))
    series = json.loads(files.get("series/index.json", b"[]"))
    sessions = json.loads(files.get("sessions.json", b"[]"))
    return {
        BundleSection.EVIDENCE: [_row(each, each["text"]) for each in evidence],
        BundleSection.LINES: [_row(each, each["text"]) for each in lines],
        BundleSection.SERIES: [_row(each, _series(each)) for each in series],
        BundleSection.SESSIONS: [_row(each, _session(each)) for each in sessions],
    }


def _row(told: Mapping[str, Any], text: str) -> Mapping[str, Any]:
    kept = {name: told[name] for name in ("at", "layer", "stream", "host", "cited") if name in told}
    return {**kept, "original": text, "sent": text, "spans": []}


def _series(told: Mapping[str, Any]) -> str:
    return f"{told['file']}: {told['meaning']} ({told['entity'].get('host') or told['layer']})"


def _session(told: Mapping[str, Any]) -> str:
    return f"{told['name']}: {told['state']}, {', '.join(told['hosts'])}"
