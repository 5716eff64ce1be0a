"""What a server says of a query, without what tells where it stands or lets somebody in."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from apps.secret_shapes import hide_shapes
from apps.telemetry.explore.values import QueryRefusal, QueryRefused
from apps.telemetry.sources.errors import Overloaded, QueryFailed, SourceUnreachable, TooMuch

MOST_LETTERS: Final = 200
HIDDEN: Final = "…"
ADDRESS: Final = re.compile(
    r"[a-z][a-z0-9+.-]{1,20}://\S+"  # a URL, with whatever stands in it
    r"|\[[0-9a-f:.]{3,45}\](?::\d{1,5})?"  # IPv6, with a port and without
    r"|\b[0-9a-f]{1,4}(?::[0-9a-f]{1,4}){0,6}::[0-9a-f:]{0,30}"
    r"|\b[0-9a-f]{1,4}(?::[0-9a-f]{1,4}){7}\b"
    r"|\b\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5})?\b"
    r"|\b[a-z][\w-]*(?:\.[\w-]+)+(?::\d{2,5})\b|\b[a-z][\w-]*:\d{2,5}\b(?!:)",
    re.IGNORECASE | re.ASCII,
)


def without_addresses(text: str) -> str:
    """Return what a server said without hosts, ports, URLs and what looks like a credential."""
    return hide_shapes(ADDRESS.sub(HIDDEN, text))[:MOST_LETTERS]


@contextmanager
def told_plainly(*, source: str, query: str) -> Iterator[None]:
    """Raise QueryRefused in place of what goes wrong with a question."""
    try:
        yield
    except TooMuch as error:
        raise QueryRefused(QueryRefusal.TOO_SLOW, _detail(error, source, query)) from None
    except QueryFailed as error:
        raise QueryRefused(QueryRefusal.REFUSED, _detail(error, source, query)) from None
    except Overloaded:
        raise QueryRefused(QueryRefusal.TOO_SLOW) from None
    except SourceUnreachable:
        raise QueryRefused(QueryRefusal.UNREACHABLE) from None


def _detail(error: QueryFailed, source: str, query: str) -> str:
    """Return the server's own word; in front of it stand the source and the query."""
    text = str(error).removeprefix(f"{source}: ").removeprefix(f"{query[:100]}: ")
    return without_addresses(text)
