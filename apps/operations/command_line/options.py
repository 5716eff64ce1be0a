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
        "--job": (),
        "--follow-links": (),
        "--format": ("text", "json", "md", "html"),
        "--language": ("en", "ko"),
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
        "--language": ("en", "ko"),
        "--step": (),
        "--pages-per-day": (),
        "--rank": (),
    },
    "stragglers": {
        "--format": ("text", "json"),
        "--language": ("en", "ko"),
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
    "verify_answer": {
        "--key": (),
        "--request": (),
        "--incident": (),
    },
    "verify_bundle": {
        "--sha256": (),
        "--logs": (),
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
# What people call them elsewhere → the options that mean it; the first that a command has is told.
SYNONYMS: Final[Mapping[str, Sequence[str]]] = {
    other: options.split()
    for others, options in {
        "log logs logfile file-log stdout stderr job-log train": "session output",
        "dmesg syslog journal kern kmsg": "kernel",
        "slurm slurmctld": "scheduler",
        "nfs lustre": "storage",
        "prometheus prom url series csv": "metrics",
        "zone timezone time-zone": "tz",
        "json html markdown text": "format",
        "start since begin": "from",
        "stop until end": "to",
        "labels incidents events": "failures",
        "write save out-file tar": "into out",
        "host hosts nodelist": "nodes",
        "slurm-job job-id jobid": "job",
        "mask hide anonymize": "redact",
        "ssh srun via": "over",
        "org tenant": "organization",
        "role roles": "part",
        "user email": "admin",
        "config yaml": "file",
    }.items()
    for other in others.split()
}
