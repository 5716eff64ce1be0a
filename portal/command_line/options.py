"""Options of the commands and their choices, for shells; a test holds it to the real parsers."""

from collections.abc import Mapping, Sequence
from typing import Final

OPTIONS: Final[Mapping[str, Mapping[str, Sequence[str]]]] = {
    "diagnose": {
        "--session": (),
        "--kernel": (),
        "--scheduler": (),
        "--storage": (),
        "--metrics": (),
        "--tz": (),
        "--format": ("text", "json", "md", "html"),
        "--explain": (),
        "--cases": (),
    },
    "collect": {
        "--job": (),
        "--nodes": (),
        "--output": (),
        "--from": (),
        "--to": (),
        "--over": ("auto", "srun", "ssh", "local"),
        "--redact": (),
        "--into": (),
    },
    "detect": {
        "--train": (),
        "--format": ("text", "json"),
        "--step": (),
        "--pages-per-day": (),
        "--rank": (),
    },
    "backtest": {
        "--from": (),
        "--to": (),
        "--failures": (),
        "--step": (),
        "--organization": (),
        "--tz": (),
        "--format": ("text", "json", "html"),
        "--out": (),
    },
    "up": {},
    "demo": {},
    "setup": {
        "--file": (),
        "--dry-run": (),
        "--cluster": (),
        "--organization": (),
        "--name": (),
        "--part": (
            "operator",
            "tenant",
            "platform",
            "gpu_vendor",
            "network_vendor",
            "storage_vendor",
        ),
        "--project": (),
        "--admin": (),
        "--token": (),
    },
    "token": {
        "--name": (),
        "--scope": ("ingest", "read", "write"),
        "--cluster": (),
        "--days": (),
    },
    "backup": {
        "--with-keys": (),
    },
    "restore": {},
    "completion": {},
}
