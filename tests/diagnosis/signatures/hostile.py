"""Lines made to make patterns slow: long runs of one thing, and examples torn and repeated."""

from collections.abc import Iterator

from apps.diagnosis.signatures.load import Signature

LINE_BYTES = 8192
RUNS = (
    *'a 0.[("A/\t',
    "a ",
    "x-",
    "1:",
    "a.",
    "k=v, ",
    "a_",
    "-> ",
    "0x1 ",
    '{"a": ',
    "rank 1 ",
    ": ",
)


def hostile_lines(*, signature: Signature) -> Iterator[str]:
    """Yield lines of up to 8 KiB that begin like matches of `signature`, or like anything."""
    for unit in RUNS:
        yield filled(unit)
    for literal in signature.literals[:4]:
        yield filled(literal)
        yield filled(literal + " ")
        yield (literal + filled("a"))[:LINE_BYTES]
        yield (literal + filled(" "))[:LINE_BYTES]
        yield (literal + filled("1"))[:LINE_BYTES]
        yield filled("a")[: -len(literal)] + literal
        yield (filled(" ")[:4000] + literal + filled("x"))[:LINE_BYTES]
    for example in signature.examples:
        yield filled(example)
        yield (example[:-1] + filled(" "))[:LINE_BYTES]
        for cut in range(5, len(example), max(1, len(example) // 12)):
            yield (example[:cut] + filled(example[max(0, cut - 3) : cut]))[:LINE_BYTES]


def filled(unit: str) -> str:
    """Return 8 KiB of `unit`."""
    return (unit * (LINE_BYTES // len(unit) + 1))[:LINE_BYTES]
