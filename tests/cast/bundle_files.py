"""The file of an evidence bundle, as somebody outside gets it."""

import json
from pathlib import Path
from typing import Any

from apps.sharing.bundles.bundle_file import SCHEMA, pack

MANIFEST: dict[str, Any] = {
    "schema": SCHEMA,
    "bundle": "BND-1",
    "incident": "INC-7K3F",
    "holder": {"slug": "aurora", "name": "Aurora Cloud"},
    "recipients": [{"slug": "strata", "name": "Strata"}, {"outside": "Verdant support"}],
    "purpose": "the slow mount\x1b[31m",
    "redaction": {"level": "redacted", "profile": "support"},
    "counts": {"lines": 2, "series": 0},
    "withheld": [{"what": "lines", "why": "names-another-party", "count": 3}],
    "made_at": "2026-11-23T20:00:00+00:00",
    "expires_at": "2026-12-07T20:00:00+00:00",
    "simulated": True,
}
LINES = [
    {"n": 1, "stream": "kernel", "host": "host-k3f9m2q7xwt", "text": "nfs: server not responding"},
    {"n": 2, "stream": "session", "host": "host-k3f9m2q7xwt", "text": "[rank0]: timed out"},
]


def bundle(folder: Path, *, lines: list[dict[str, Any]] = LINES) -> Path:
    """Write one into a folder."""
    rows = "".join(json.dumps(each) + "\n" for each in lines).encode()
    path = folder / "BND-1.zip"
    path.write_bytes(pack(manifest=MANIFEST, files={"lines.ndjson": rows}))
    return path
