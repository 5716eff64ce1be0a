"""Columns of a table of series that are labels, or a metric or host with a slip in it."""

import re
from collections.abc import Collection, Iterable
from functools import cache
from itertools import islice
from typing import Final

from apps.diagnosis.detection.metrics.load import catalog
from apps.diagnosis.spelling import MOST_TOLD, shown, slipped
from apps.telemetry.files.unusable_input import UnusableInput

DIGITS: Final = re.compile("[0-9]")
LEAST_LETTERS: Final = 8  # of a metric: a shorter one is like many a label


def check_labels(*, name: str, labels: Iterable[str], given: Collection[str]) -> None:
    """Raise UnusableInput for a label that is a metric, or the host, but for a slip.

    As a label a metric would make each of its values a series, and rows without a host be nobody's.
    """
    hosts, metrics = _known()
    lacking = set() if hosts & set(given) else hosts
    unknown = (each for each in labels if each not in hosts)
    for column in islice(unknown, MOST_TOLD):
        found = slipped(word=column, known=lacking) or slipped(
            word=column, known=metrics - set(given) if len(column) >= LEAST_LETTERS else ()
        )
        # Of a link 0 and a link 1 none is the other misspelt.
        if found and DIGITS.sub("", found) != DIGITS.sub("", column):
            raise UnusableInput(
                f"{name}: nothing is known by the column `{shown(word=column)}`; did you mean "
                f"`{found}`? Rename it, or leave it out"
            )


@cache
def _known() -> tuple[frozenset[str], frozenset[str]]:
    """Return the labels that name a host, and the metrics."""
    known = catalog()
    hosts = frozenset(label for labels in known.labels.values() for label in labels.host)
    return hosts, frozenset(each for each in known.metrics if len(each) >= LEAST_LETTERS)
