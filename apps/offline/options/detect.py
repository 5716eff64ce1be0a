"""The options of `detect`."""

from argparse import ArgumentParser, RawDescriptionHelpFormatter

from apps.diagnosis.detection.baseline.defaults import MINUTE, PAGES_PER_DAY
from apps.offline.options.diagnose import LANGUAGES

HELP = """Find what is unusual in a table of one machine's series.

FILE is npz (`train` is learnt, `test` is scored; no other array is read), Parquet or CSV
(columns = series, a column of times is recognised; learnt and scored itself). With --train
the usual is learnt from another file.

Rows and columns are numbered from 0 (the column of times doesn't count); an episode is the
rows from `start` to before `end`; `metrics` are its columns, the most responsible first."""


def add_options(parser: ArgumentParser) -> None:
    """Declare them."""
    parser.formatter_class = RawDescriptionHelpFormatter
    parser.add_argument("file", metavar="FILE", help="npz, Parquet or CSV")
    parser.add_argument("--train", metavar="FILE", help="table to learn what is usual from")
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
    parser.add_argument(
        "--step",
        type=float,
        metavar="SECONDS",
        help=f"seconds between rows (else by the times, by the daily rhythm, or {MINUTE:.0f})",
    )
    parser.add_argument(
        "--pages-per-day",
        type=float,
        default=PAGES_PER_DAY,
        metavar="N",
        help=f"hours a day that rows like the learnt ones may alert (default {PAGES_PER_DAY})",
    )
    parser.add_argument(
        "--rank",
        action="append",
        default=[],
        metavar="START:END",
        help="also rank the columns of these rows (END is the first row after them)",
    )
