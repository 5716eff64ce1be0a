"""Values that no sender has a reason to send, and how they get into documents."""
# ruff: noqa: RUF001  chance without secrets; characters that look like others

import json
from collections.abc import Iterator
from random import Random
from typing import Any, Final

DIGITS: Final = ("²", "٣", "Ⅷ", "１２", "1_000", " 7", "+5", "-0", "0x1f", "1e3", "0" * 400 + "1")
NUMBERS: Final = (
    *("-1", "2147483647", "2147483648", "9223372036854775807", "9223372036854775808"),
    *("18446744073709551616", "-9223372036854775809", "1e999", "-1e999", "NaN", "Infinity"),
    *("-0.0", "1e308", "5e-324", "9" * 400, "-" + "9" * 5000),
)
TIMES: Final = (
    *("0001-01-01T00:00:00+14:00", "0001-01-01T00:00:00Z", "9999-12-31T23:59:59-12:00"),
    *("9999-12-31T23:59:59Z", "2016-12-31T23:59:60Z", "2026-02-30T00:00:00Z"),
    *("2026-11-21T02:00:00+99:99", "2026-11-21T02:00:00+23:59:59.999999", "2026-11-21"),
    *("-4713-11-24T00:00:00Z", "+10000-01-01T00:00:00Z", "20261121T020000Z", "2026-W47-6"),
    *("令和8年11月21日", "21.11.2026", "2026-11-21T24:00:00Z", "٢٠٢٦-١١-٢١T٠٢:٠٠:٠٠Z"),
    *("1969-12-31T23:59:59Z", "2500-01-01T00:00:00Z", "0", "-62135596800000000000"),
)
WORDS: Final = (
    *("", " ", "\0", "a\0b", "\ud800", "a\udfffb", "\ufffd", "e\u0301" * 60, "\u202eabc\u2066"),
    *(
        "\x01\x1b[31m\x7f\x85",
        "%s%n%d",
        "%(x)s",
        "{0}",
        "{x.__class__}",
        "%",
        "%zz",
        "\\",
        "'\";--",
    ),
    *("__proto__", "constructor", "../../etc/passwd", "..%2f", "/", ".", "null", "undefined"),
    *("<script>alert(1)</script>", "𝕏" * 300, "x" * 70_000, "\r\nX: y", "\u2028", "ı", "ß" * 200),
)
TEXTS: Final = (*DIGITS, *NUMBERS, *TIMES, *WORDS)
HUGE: Final = "y" * 2**20


class Raw(str):
    """Something that stands in JSON as it is: numbers that Python would write otherwise."""

    __slots__ = ()


OTHERS: Final[tuple[Any, ...]] = (
    *(None, True, False, [], {}, [[]], [{}], {"": ""}, {"__proto__": {"x": 1}}, 0, -1, 1.5),
    *(["x"], [None], [1, "x", None], {"x": None}, {"²": 1}, {"-1": {}}, {"\ud800": "\ud800"}),
    *([{"key": None}], {"0": []}, {"9" * 400: {"host": "gpu001"}}, [[[[[[]]]]]]),
)
NUMBERS_RAW: Final = tuple(Raw(each) for each in NUMBERS)
DEEP: Final = Raw("[" * 3000 + "]" * 3000)


def anything(random: Random) -> Any:
    """Return a value for a place in a document."""
    kind = random.randrange(8)
    if kind == 0:
        return random.choice(OTHERS)
    if kind == 1:
        return random.choice(NUMBERS_RAW)
    if kind == 2:
        return random.choice((DEEP, HUGE, random.choice(OTHERS), random.choice(NUMBERS_RAW)))
    if kind == 3:
        return random.choice(TIMES)
    return random.choice(TEXTS)


def places(document: Any, before: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the place of everything in a document, itself included."""
    yield before
    if isinstance(document, dict):
        for key, value in document.items():
            yield from places(value, (*before, key))
    elif isinstance(document, list):
        for number, value in enumerate(document):
            yield from places(value, (*before, number))


def put(document: Any, place: tuple[Any, ...], value: Any) -> Any:
    """Return the document with a value at a place."""
    if not place:
        return value
    first, rest = place[0], place[1:]
    if isinstance(document, dict):
        return {k: put(v, rest, value) if k == first else v for k, v in document.items()}
    return [put(v, rest, value) if n == first else v for n, v in enumerate(document)]


def renamed(document: Any, place: tuple[Any, ...], name: str) -> Any:
    """Return the document with another key at a place; as it was where no key stands there."""
    if not place:
        return document
    first, rest = place[0], place[1:]
    if isinstance(document, dict):
        pairs = document.items()
        if not rest:
            return {(name if k == first else k): v for k, v in pairs}
        return {k: renamed(v, rest, name) if k == first else v for k, v in pairs}
    return [renamed(v, rest, name) if n == first else v for n, v in enumerate(document)]


def as_json(document: Any) -> bytes:
    """Return a document as JSON, with raw parts as they are and lone surrogates escaped."""
    if isinstance(document, Raw):
        return document.encode()
    if isinstance(document, dict):
        pairs = (json.dumps(k).encode() + b":" + as_json(v) for k, v in document.items())
        return b"{" + b",".join(pairs) + b"}"
    if isinstance(document, list):
        return b"[" + b",".join(map(as_json, document)) + b"]"
    return json.dumps(document).encode()


def torn(body: bytes, random: Random) -> bytes:
    """Return a body with something wrong in its bytes."""
    at = random.randrange(len(body) + 1)
    part = random.choice((b"\xff\xfe", b"\0", b"\xed\xa0\x80", b'"', b"}", b",,", b"\\u0000", b""))
    return random.choice((body[:at] + part + body[at:], body[:at], body[:at] + body[at + 1 :]))


def doubled(body: bytes) -> bytes:
    """Return an object whose keys are there twice, the second time as something else."""
    keys = json.loads(body).keys() if body.startswith(b"{") else ()
    again = b",".join(json.dumps(key).encode() + b":[null]" for key in keys)
    return body[:-1] + b"," + again + b"}" if again else body


def poisoned(document: Any, random: Random) -> bytes:
    """Return a document as JSON with one thing wrong, or two."""
    found = document
    for _ in range(random.choice((1, 1, 2))):
        where = random.choice(list(places(found)))
        if random.random() < 0.15:
            found = renamed(found, where, random.choice(TEXTS))
        else:
            found = put(found, where, anything(random))
    body = as_json(found)
    return torn(body, random) if random.random() < 0.05 else body
