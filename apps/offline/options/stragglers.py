"""The options of `stragglers`."""

from argparse import ArgumentParser, RawDescriptionHelpFormatter

from apps.offline.options.diagnose import LANGUAGES

HELP = """Say what slow members cost a training job, and whether a node is to blame.

FILE is a table of operations (Parquet or CSV, with the columns of NDTimeline; one job a file), a
Chrome trace of PyTorch's profiler (one file a rank, all of one job) or lines of NCCL's Inspector
(all of one job); each may be compressed with gzip or zstd.

Steps are replayed as if nobody had been slow: S is how much longer they really last, M_W and M_S
are the shares of the slowest workers and of the last stage in it."""


def add_options(parser: ArgumentParser) -> None:
    """Declare them."""
    parser.formatter_class = RawDescriptionHelpFormatter
    parser.add_argument("files", nargs="+", metavar="FILE", help="tables, profiles, JSON lines")
    parser.add_argument(
        "--format",
        default="text",
        choices=["text", "json"],
        help="text for people (default), json for programs",
    )
    parser.add_argument(
        "--language",
        default=None,
        choices=LANGUAGES,
        help="of text; without it the one of LANGUAGE, LC_ALL, LC_MESSAGES or LANG",
    )
