"""The six pieces of the demo's story, and whether whom each concerns finds it in two clicks. Pure.

What is looked for follows from the simulator's ledger; what is found, from pages as they are shown.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html.parser import HTMLParser
from typing import Any, Final
from urllib.parse import urljoin, urlsplit

Json = Mapping[str, Any]
MOST_CLICKS: Final = 2
CHAIN_STARTS: Final = 3  # that failed, of one session


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryPiece:
    """One thing that happened, whom it concerns, and the page that shows it."""

    name: str
    party: str
    path: str


def story_pieces(
    *, truths: Sequence[Json], sessions: Mapping[str, Mapping[str, str]], cluster: str
) -> list[StoryPiece]:
    """Return the pieces; `sessions` are those of each organization, name → id.

    A session that its owner does not list has a page that nobody finds.
    """
    starts = Counter((each["organization"], each["session"]) for each in truths)
    found = [
        _of_session("retry chain", *started, sessions)
        for started, count in starts.items()
        if count >= CHAIN_STARTS
    ]
    for truth in truths:
        if truth.get("survived"):
            name = "job that recovers in place"
            found.append(_of_session(name, truth["organization"], truth["session"], sessions))
        if truth["scenario"] == "thermal-straggler":
            found.append(
                _of_session("straggler", truth["organization"], truth["session"], sessions)
            )
    found += _nodes(truths, cluster)
    for party in ("strata", "northwind"):
        path = f"/o/{party}/storage-path/"  # leads to the only cluster
        found.append(StoryPiece(name="slot-bound checkpoint", party=party, path=path))
    return found


def _of_session(
    what: str, party: str, session: str, sessions: Mapping[str, Mapping[str, str]]
) -> StoryPiece:
    public_id = sessions.get(party, {}).get(session, "unknown")
    return StoryPiece(name=what, party=party, path=f"/o/{party}/sessions/{public_id}/")


def _nodes(truths: Sequence[Json], cluster: str) -> Iterator[StoryPiece]:
    hosts = {
        "lemon": [t for t in truths if t["scenario"].startswith("earlier-")],
        "excluded node": [t for t in truths if t["live"]],
    }
    for name, some in hosts.items():
        for host in sorted({part["host"] for truth in some for part in truth["culprits"]}):
            path = f"/o/aurora/nodes/{cluster}/{host}/"
            yield StoryPiece(name=name, party="aurora", path=path)


def clicks_to(*, path: str, home: str, read: Callable[[str], str]) -> int | None:
    """Return how many clicks lead from a page to another one, None for more than two.

    `read` returns the HTML of a path of the same portal.
    """
    first = links(read(home), base=home)
    if path in first:
        return 1
    stem = "/".join(home.split("/")[:3])
    for each in first:
        if each.startswith(f"{stem}/") and path in links(read(each), base=each):
            return MOST_CLICKS
    return None


class _Links(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep where a link leads."""
        self.found += [value for name, value in attrs if tag == "a" and name == "href" and value]


def links(page: str, *, base: str) -> list[str]:
    """Return the paths that a page links to, each once, as they stand."""
    parser = _Links()
    parser.feed(page)
    paths = (urlsplit(urljoin(base, each)) for each in parser.found)
    return list(dict.fromkeys(each.path for each in paths if not each.netloc))
