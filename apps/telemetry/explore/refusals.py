"""What a server says of a query, without what tells where it stands or lets somebody in."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from apps.diagnosis.patterns import Pattern
from apps.secret_shapes import hide_shapes
from apps.telemetry.explore.values import QueryRefusal, QuestionRefused
from apps.telemetry.sources.errors import Overloaded, QueryFailed, SourceUnreachable, TooMuch

MOST_LETTERS: Final = 200
HIDDEN: Final = "…"
ADDRESS: Final = Pattern(
    r"(?i)[a-z][a-z0-9+.-]{1,20}://\S+"  # a URL, with whatever stands in it
    r"|\[[0-9a-f:.]{3,45}\](?::\d{1,5})?"  # IPv6, with a port and without
    r"|\b[0-9a-f]{1,4}(?::[0-9a-f]{1,4}){0,6}::[0-9a-f:]{0,30}"
    r"|\b[0-9a-f]{1,4}(?::[0-9a-f]{1,4}){7}\b"
    r"|\b\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5})?\b"
    r"|\b[a-z][\w.-]*:\d{2,5}\b"
)


def without_addresses(text: str) -> str:
    """Return what a server said without hosts, ports, URLs and what looks like a credential."""
    data = text.encode("utf-8", "replace")
    kept: list[bytes] = []
    last = 0
    for spans in ADDRESS.find_all(data):
        start, end = spans[0]
        kept += [data[last:start], HIDDEN.encode()]
        last = end
    told = b"".join([*kept, data[last:]]).decode("utf-8", "replace")
    return hide_shapes(told)[:MOST_LETTERS]


@contextmanager
def told_plainly(*, source: str, query: str) -> Iterator[None]:
    """Raise QuestionRefused in place of what goes wrong with a question."""
    try:
        yield
    except TooMuch as error:
        raise QuestionRefused(QueryRefusal.TOO_SLOW, _detail(error, source, query)) from None
    except QueryFailed as error:
        raise QuestionRefused(QueryRefusal.REFUSED, _detail(error, source, query)) from None
    except Overloaded:
        raise QuestionRefused(QueryRefusal.TOO_SLOW) from None
    except SourceUnreachable:
        raise QuestionRefused(QueryRefusal.UNREACHABLE) from None


def _detail(error: QueryFailed, source: str, query: str) -> str:
    """Return the server's own word; in front of it stand the source and the query."""
    text = str(error).removeprefix(f"{source}: ").removeprefix(f"{query[:100]}: ")
    return without_addresses(text)
