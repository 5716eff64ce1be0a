"""Lines → the signature that says most about each: literals in whole blocks first, then the
patterns.

The block search is one RE2 automaton over the literals of all signatures: over text without a hit
0.8 GB/s on one core, ten times pyahocorasick over the same literals and seventy times an RE2 Set of
the patterns. It takes longer to build than pyahocorasick takes over a little text, which is
searched so. What is found says which signatures a line can match; only these are tried, each with
RE2 too, so that no text takes longer than in proportion to its length.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial

import ahocorasick
import re2

from apps.diagnosis.patterns import PatternMatch
from apps.diagnosis.signatures import accelerate
from apps.diagnosis.signatures.load import Signature, load_catalog

# A ceiling: on logs the automaton of some 700 literals stays below a few megabytes.
AUTOMATON_BYTES = 64 << 20
# Long enough to forget the cost of a call, short enough to stay in the processor's cache.
BLOCK_BYTES = 1 << 20
# Below, building the block search takes longer than to do without.
LITTLE_BYTES = 256 << 10
# Real lines have a handful; a line made of all literals must not cost all patterns.
CANDIDATE_LIMIT = 40
# Which literals stand together in a line repeats itself; a hostile source must not fill the memory.
TOGETHER_LIMIT = 4096
Candidates = tuple[Signature, ...]  # the most specific first
# In (text, from, to): where the next literal stands, (-1, -1) for nowhere; a list of one.
Search = Callable[[bytes, int, int], Sequence[tuple[int, int]]]


@dataclass(slots=True)  # not frozen: made for every hit of a source, which takes half as long
class SignatureMatch:
    """The most specific signature of a line, and where its pattern matched."""

    signature: Signature
    found: PatternMatch
    is_whole: bool  # searched with its prefixes on
    _fields: dict[str, str] | None = None  # until they are asked for

    @property
    def fields(self) -> Mapping[str, str]:
        """Return the groups of the pattern that took part."""
        if self._fields is None:
            said = self.found.groupdict()
            self._fields = {name: value for name, value in said.items() if value is not None}
        return self._fields

    @property
    def prefix(self) -> str | None:
        """Return what stood before it in the line, None where that is not known."""
        return self.found.before if self.is_whole else None


class SignatureMatcher:
    """Search texts for the signatures of one catalog."""

    def __init__(self, *, catalog: Mapping[str, Signature], may_accelerate: bool = True) -> None:
        self.catalog, self.may_accelerate = catalog, may_accelerate
        self._owners: dict[bytes, list[Signature]] = {}
        for signature in catalog.values():
            for word in signature.literals:
                self._owners.setdefault(word.encode(), []).append(signature)
        longest_first = sorted(self._owners, key=lambda one: (-len(one), one))
        self._longest_first = longest_first
        self._scan: accelerate.Scan | None = None
        self._may_accelerate, self._searched_bytes = may_accelerate, 0
        self._by_literal = ahocorasick.Automaton()
        for literal in longest_first:
            self._by_literal.add_word(_by_bytes(literal), literal)
        self._by_literal.make_automaton()
        self._alone = _Alone(self._ranked_alone)
        self._together: dict[frozenset[bytes], Candidates] = {}

    def lines(self, *, data: bytes) -> Iterator[tuple[int, int, Candidates]]:
        """Yield start, end and candidates of each line of UTF-8 `data` that holds a literal, in
        order."""
        self._searched_bytes += len(data)
        if self._may_accelerate and self._searched_bytes > BLOCK_BYTES:
            self.prepare_bulk_search()
        if self._scan is not None:
            return self._scanned(data, self._scan)
        is_built = "_search" in self.__dict__
        if not is_built and self._searched_bytes <= LITTLE_BYTES:
            return self._scanned(data, self._scan_little)
        return self._searched(data)

    def has_much(self, *, size: int) -> bool:
        """Say whether, with so many bytes more, much is read that is worth to be prepared for."""
        return self._searched_bytes + size > LITTLE_BYTES

    def prepare_bulk_search(self) -> None:
        """Get ready for much text, with hyperscan where it is installed. It takes longer than to
        read a little text without."""
        if self._may_accelerate:
            self._may_accelerate = False  # asked for once
            self._scan = accelerate.scanner(literals=self._longest_first)
        if self._scan is None:
            self._search  # noqa: B018  built on first use

    @cached_property
    def _search(self) -> Search:
        return _searcher(literals=self._longest_first)

    def _scan_little(self, block: memoryview) -> Sequence[tuple[int, bytes]]:
        found = self._by_literal.iter(_by_bytes(block))
        return [(end + 1, literal) for end, literal in found]

    def _searched(self, data: bytes) -> Iterator[tuple[int, int, Candidates]]:
        search, alone, size = self._search, self._alone, len(data)
        position = 0
        ((at, end),) = search(data, 0, size)
        while at >= 0:
            start = data.rfind(b"\n", position, at) + 1 or position
            stop = data.find(b"\n", end)
            stop = size if stop < 0 else stop
            literal = data[at:end]
            ((at, end),) = search(data, at + 1, size)
            if 0 <= at < stop:
                literals = {literal}
                while 0 <= at < stop:
                    literals.add(data[at:end])
                    ((at, end),) = search(data, at + 1, size)
                yield start, stop, self._ranked_together(frozenset(literals))
            else:
                yield start, stop, alone[literal]  # nearly every line
            position = stop + 1

    def _scanned(self, data: bytes, scan: accelerate.Scan) -> Iterator[tuple[int, int, Candidates]]:
        """Yield the same by where all literals stand, block by block."""
        view, size, position = memoryview(data), len(data), 0
        while position < size:
            cut = data.find(b"\n", position + BLOCK_BYTES)
            cut = size if cut < 0 else cut
            start, stop, literals = position, -1, set[bytes]()
            for end, literal in scan(view[position:cut]):
                if position + end > stop:
                    if literals:
                        yield start, stop, self._ranked_together(frozenset(literals))
                        start = stop + 1
                    start = data.rfind(b"\n", start, position + end) + 1 or start
                    stop = data.find(b"\n", position + end)
                    stop = size if stop < 0 else stop
                    literals = set()
                literals.add(literal)
            if literals:
                yield start, stop, self._ranked_together(frozenset(literals))
            position = cut + 1

    def candidates(self, *, line: str) -> Candidates:
        """Return the signatures whose literal stands in `line`, the most specific first."""
        return self._ranked_together(self._literals(line))

    def _literals(self, line: str) -> frozenset[bytes]:
        text = line if line.isascii() else _by_bytes(line.encode("utf-8", "replace"))
        return frozenset(literal for _, literal in self._by_literal.iter(text))

    def _inside(self, literal: bytes) -> frozenset[bytes]:
        """Return the literals that stand wherever this one stands: it and those it contains."""
        return self._literals(literal.decode())

    def _ranked_together(self, literals: frozenset[bytes]) -> Candidates:
        found = self._together.get(literals)
        if found is None:
            inside = {one for literal in literals for one in self._inside(literal)}
            found = self._ranked(literals=inside)
            if len(self._together) < TOGETHER_LIMIT:
                self._together[literals] = found
        return found

    def _ranked_alone(self, literal: bytes) -> Candidates:
        return self._ranked(literals=self._inside(literal))

    def _ranked(self, *, literals: Iterable[bytes]) -> Candidates:
        """Return the owners of literals that stand in one line, by their longest literal there."""
        best: dict[str, tuple[int, int, str, Signature]] = {}
        for literal in literals:
            for one in self._owners[literal]:
                rank = (one.rank, -len(literal), one.key, one)
                best[one.key] = min(rank, best.get(one.key, rank), key=_specificity)
        return tuple(ranked[3] for ranked in sorted(best.values(), key=_specificity))

    def match(
        self, *, line: str, text: Callable[[], str], candidates: Candidates | None = None
    ) -> SignatureMatch | None:
        """Return what `line` says. `candidates` are its own, where they are known.

        `text` gives the same without its prefixes: it is asked for only where a pattern wants to
        stand at the start and does not.
        """
        if candidates is None:
            candidates = self.candidates(line=line)
        data = line.encode("utf-8", "replace")
        for signature in candidates[:CANDIDATE_LIMIT]:
            if found := signature.pattern.search_bytes(data):
                return SignatureMatch(signature, found, is_whole=True)
            if signature.wants_start and (found := signature.pattern.search(text())):
                return SignatureMatch(signature, found, is_whole=False)
        return None


class _Alone(dict[bytes, Candidates]):
    """The owners of literals that stand alone in a line, each ranked when it is first met."""

    def __init__(self, ranked: Callable[[bytes], Candidates]) -> None:
        super().__init__()
        self._ranked = ranked

    def __missing__(self, literal: bytes) -> Candidates:
        found = self[literal] = self._ranked(literal)
        return found


def _by_bytes(data: bytes | memoryview) -> str:
    """Return text with a character for each byte, so that places in it are places in the bytes."""
    return str(data, "latin-1")


def _specificity(entry: tuple[int, int, str, Signature]) -> tuple[int, int, str]:
    return entry[:3]


def _searcher(*, literals: Sequence[bytes]) -> Search:
    """Return a search for the next place where a literal stands: of several there, the first of
    `literals`."""
    options = re2.Options()
    options.max_mem = AUTOMATON_BYTES
    options.encoding = re2.Options.Encoding.LATIN1  # bytes are searched as bytes
    found = re2.compile(b"|".join(map(re2.escape, literals)), options)
    # The public search builds objects that nobody looks at, which takes as long as the search.
    return partial(found._regexp.Match, re2._Anchor.UNANCHORED)  # noqa: SLF001


@lru_cache(maxsize=1)
def default_matcher() -> SignatureMatcher:
    """Return the matcher of the shipped catalog, built once a process."""
    return SignatureMatcher(catalog=load_catalog())
