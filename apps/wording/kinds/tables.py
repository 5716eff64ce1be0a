"""What is said of a table of series."""

from collections.abc import Mapping

from apps.wording.speaker import Wording, text
from apps.wording.translatable import gettext_noop

TABLES: Mapping[str, Wording] = {
    "column-is-answer": text(
        gettext_noop("column %(column)s (%(name)s) is an answer, not a series: not read")
    ),
    "column-without-numbers": text(gettext_noop("column %(column)s (%(name)s) holds no numbers")),
    "times-go-back": text(gettext_noop("times go back in the file: rows are taken in its order")),
}
