"""How fast signatures are found: ours beside `re` one by one and an RE2 Set, at equal hits.

`python -m tests.bench.bench_signatures [--megabytes 200]`. The text is recorded logs of real
training jobs, repeated in shuffled blocks; a hit is a pair of line and rule.
"""

import argparse
import random
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import re2

from apps.diagnosis.model import Origin
from apps.diagnosis.signatures import accelerate
from apps.diagnosis.signatures.load import Signature, load_catalog
from apps.diagnosis.signatures.match import SignatureMatcher
from apps.diagnosis.signatures.read import StreamReader

LOGS = Path(__file__).resolve().parents[3] / "shared/data/training_logs"
BLOCK_LINES = 400
BATCH_BYTES = 1 << 20
SLOW_BYTES = 1_000_000  # one by one is some hundred times slower: a sample is enough
Hits = set[tuple[int, str]]


def corpus(*, size: int) -> bytes:
    """Return at least `size` bytes of recorded lines in an order that no file has."""
    lines = [
        line
        for path in sorted(LOGS.rglob("*"))
        if path.suffix in {".out", ".log", ".txt"}
        for line in path.read_bytes().decode("utf-8", "replace").split("\n")
    ]
    blocks = [lines[start : start + BLOCK_LINES] for start in range(0, len(lines), BLOCK_LINES)]
    order = random.Random(7)  # noqa: S311  repeatable, not secret
    parts: list[bytes] = []
    while sum(len(part) for part in parts) < size:
        order.shuffle(blocks)
        parts.extend("\n".join(block).encode() for block in blocks)
    return b"\n".join(parts)


def ours(data: bytes, matcher: SignatureMatcher) -> Hits:
    """Return the hits of the matcher: literals in the whole block, then the patterns."""
    found, position, number = set(), 0, 0
    for start, end, candidates in matcher.lines(data=data):
        number += data.count(b"\n", position, start)
        position = start
        line = data[start:end].decode("utf-8", "replace")
        for signature in candidates:
            if signature.pattern.search(line):
                found.add((number, signature.key))
    return found


def one_by_one(data: bytes) -> Hits:
    """Return the hits of `re`, every pattern on every line."""
    signatures = load_catalog().values()
    patterns = [(one.key, re.compile(one.source, re.ASCII)) for one in signatures]
    return {
        (number, key)
        for number, line in enumerate(_lines(data))
        for key, pattern in patterns
        if pattern.search(line)
    }


def re2_set() -> Callable[[bytes], Hits]:
    """Return a search through an RE2 Set of all patterns."""
    options = re2.Options()
    options.max_mem = 512 << 20
    options.log_errors = False
    patterns = re2.Set.SearchSet(options)
    keys = list(load_catalog())
    for key in keys:
        patterns.Add(load_catalog()[key].source)
    patterns.Compile()

    def search(data: bytes) -> Hits:
        return {
            (number, keys[index])
            for number, line in enumerate(data.split(b"\n"))
            for index in patterns.Match(line) or ()
        }

    return search


def reading(data: bytes) -> int:
    """Return the events of the whole way: text in batches of a megabyte to events and extents."""
    reader, number, events, position = StreamReader(origin=Origin(source="bench")), 1, 0, 0
    while position < len(data):
        end = data.find(b"\n", position + BATCH_BYTES)
        end = len(data) if end < 0 else end
        text = data[position:end].decode("utf-8", "replace")
        found = reader.feed(text=text, first_number=number)
        events += len(found.events)
        number, position = number + text.count("\n") + 1, end + 1
    return events


def _lines(data: bytes) -> Iterator[str]:
    yield from data.decode("utf-8", "replace").split("\n")


def _timed(search: Callable[[bytes], Hits], data: bytes) -> tuple[Hits, float]:
    started = time.process_time()
    found = search(data)
    return found, len(data) / 1e6 / (time.process_time() - started)


def _warm(signatures: list[Signature], matcher: SignatureMatcher) -> None:
    for signature in signatures:
        matcher.candidates(line=signature.examples[0])
        signature.pattern.search("")
    matcher.prepare_bulk_search()


def _accelerated(data: bytes, mine: Hits, set_speed: float) -> str:
    if accelerate.library() is None:
        return "  through hyperscan: not measured: the extra `fast` is not installed"
    matcher = SignatureMatcher(catalog=load_catalog())
    fast, speed = _timed(lambda text: ours(text, matcher), data)
    ratio = f"{speed / set_speed:6.1f} x RE2 Set" if fast == mine else "OTHER HITS"
    return f"  ours, blocks through hyperscan      {speed:8.1f} MB/s  {ratio}"


def _whole_way(data: bytes) -> str:
    started = time.process_time()
    events = reading(data)
    seconds, lines = time.process_time() - started, data.count(b"\n") + 1
    return (
        f"  whole way to {events:,} events      {len(data) / 1e6 / seconds:8.1f} MB/s  "
        f"{lines / seconds:,.0f} lines/s"
    )


def main() -> None:
    """Print the speeds on one core (processor time), and whether the hits are equal."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=int, default=200)
    size = parser.parse_args().megabytes * 1_000_000
    if not LOGS.is_dir():
        print(f"signatures: not measured: no recorded logs at {LOGS.name} beside the repository")  # noqa: T201
        return
    data = corpus(size=size)
    plain = SignatureMatcher(catalog=load_catalog(), may_accelerate=False)
    _warm(list(load_catalog().values()), plain)
    sample = data[: data.rfind(b"\n", 0, SLOW_BYTES)]
    mine, our_speed = _timed(lambda text: ours(text, plain), data)
    theirs, set_speed = _timed(re2_set(), data)
    slow, slow_speed = _timed(one_by_one, sample)
    sample_lines = sample.count(b"\n") + 1
    is_equal = mine == theirs and slow == {hit for hit in mine if hit[0] < sample_lines}
    lines = data.count(b"\n") + 1
    print(  # noqa: T201
        f"signatures: {len(load_catalog())} rules, {len(data) / 1e6:.0f} MB, {lines:,} lines, "
        f"{len(mine):,} hits (line, rule), equal: {'yes' if is_equal else 'NO'}\n"
        f"  ours (literals in blocks, then RE2) {our_speed:8.1f} MB/s"
        f"  {our_speed / set_speed:6.1f} x RE2 Set\n"
        f"  google-re2 Set, line by line        {set_speed:8.1f} MB/s\n"
        f"  re, one by one (first {len(sample) / 1e6:.0f} MB)       {slow_speed:8.1f} MB/s\n"
        f"{_accelerated(data, mine, set_speed)}\n"
        f"{_whole_way(data)}"
    )
    if not is_equal:
        print("  differing:", sorted(mine ^ theirs)[:5])  # noqa: T201


if __name__ == "__main__":
    main()
