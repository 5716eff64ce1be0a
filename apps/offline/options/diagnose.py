"""The options of `diagnose`."""

from argparse import ArgumentParser

from apps.telemetry.files.folder_files import OPTION

HELP = """Say from log files why a training session stopped: what broke, on which node, whether to
restart, whom to leave out and who acts. Needs no portal, no network and no settings."""
LANGUAGES = ("en", "ko")
STREAMS = {
    "session": "what the job printed: of its ranks, its launcher, NCCL",
    "kernel": "kernel log of a node: dmesg, journalctl -k, /var/log/kern.log",
    "scheduler": "log of slurmctld or slurmd, or sacct's table",
    "storage": "log of a file server or of its clients",
}


def add_options(parser: ArgumentParser) -> None:
    """Declare them."""
    read = parser.add_argument_group(
        "what to read", "Logs of any dialect, compressed or not; each option may be repeated."
    )
    read.add_argument(
        "paths",
        nargs="*",
        metavar="PATH",
        help="file, folder or tar, told by its text and its name; - for standard input",
    )
    for stream, what in STREAMS.items():
        read.add_argument(f"--{stream}", action="append", default=[], metavar="PATH", help=what)
    read.add_argument(
        "--metrics",
        action="append",
        default=[],
        metavar="FILE|URL",
        help="table of series (CSV, Parquet, JSON of a range query), or a Prometheus server",
    )
    read.add_argument(
        "--tz",
        default=None,
        metavar="ZONE",
        help="zone of printed times that name none: Asia/Seoul",
    )
    read.add_argument(
        "--job",
        default="",
        metavar="ID",
        help="of files whose names say jobs (slurm-4711.out) only those of this one, and those "
        "that name none",
    )
    read.add_argument(
        OPTION,
        action="store_true",
        help="also read files that links in a folder lead to outside of it; in /var/log they are "
        "followed anyway",
    )
    shown = parser.add_argument_group("what to print")
    shown.add_argument(
        "--format",
        default="text",
        choices=["text", "json", "md", "html"],
        help="text (default), json for programs (docs/diagnosis-schema.md), md, html for a ticket",
    )
    shown.add_argument(
        "--language",
        default=None,
        choices=LANGUAGES,
        help="of text, md and html; without it the one of LANGUAGE, LC_ALL, LC_MESSAGES or LANG",
    )
    instead = parser.add_argument_group("instead of reading logs")
    instead.add_argument(
        "--explain",
        default=None,
        metavar="NAME",
        help="say what a cause (gpu-off-bus), a signature (nvrm-xid-79) or an Xid (79) means, "
        "who acts, and what weighs how much",
    )
    instead.add_argument(
        "--cases",
        default=None,
        metavar="FILE",
        help='many at once: a line of JSON each, {"id": "a", "logs": [{"stream", "host", "rank", '
        '"tz", "text"}]}; a diagnosis in JSON is printed for each',
    )
