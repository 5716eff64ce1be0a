"""The options of `diagnose`."""

from argparse import ArgumentParser

HELP = "Diagnose why a session stopped, from log files."
STREAMS = ("session", "kernel", "scheduler", "storage")


def add_options(parser: ArgumentParser) -> None:
    """Declare them."""
    parser.add_argument(
        "paths", nargs="*", metavar="PATH", help="file, folder, tar, or - for standard input"
    )
    for stream in STREAMS:
        parser.add_argument(f"--{stream}", action="append", default=[], metavar="P")
    parser.add_argument(
        "--metrics",
        action="append",
        default=[],
        metavar="FILE|URL",
        help="table of series (CSV, Parquet, JSON of a range query), or a Prometheus server",
    )
    parser.add_argument("--tz", default=None, metavar="ZONE", help="zone of stamps that name none")
    parser.add_argument("--format", default="text", choices=["text", "json", "md", "html"])
    parser.add_argument("--explain", default=None, metavar="SIGNATURE")
    parser.add_argument(
        "--cases", default=None, metavar="FILE", help="one case a line → one JSON a line"
    )
