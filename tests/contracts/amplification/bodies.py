"""Hostile bodies: of each format the most objects a byte that its grammar allows."""

from functools import partial

from tests.contracts.amplification import readers
from tests.contracts.amplification.archive_bodies import tars
from tests.contracts.amplification.attempts import ATTEMPTS, add, filled
from tests.contracts.amplification.dump_bodies import dumps
from tests.contracts.amplification.file_bodies import files, tables, work
from tests.contracts.amplification.metric_bodies import otlp, remote_write
from tests.contracts.amplification.pushed_bodies import loki, told

__all__ = ["ATTEMPTS"]


def _forms() -> None:
    read, end = readers.multipart, b"--b--\r\n"
    named = b'--b\r\nContent-Disposition: form-data; name="f"'
    file = named + b'; filename="x"'
    small = named + b"\r\n\r\nx\r\n" + end
    for name, each in (
        ("nameless parts", b"--b\r\n\r\n\r\n"),
        ("boundaries", b"--b\r\n"),
        ("fields", named + b"\r\n\r\nx\r\n"),
        ("files", file + b"\r\n\r\nx\r\n"),
        ("files without a name", named + b'; filename=""\r\n\r\nx\r\n'),
        ("empty lines", b"\r\n"),
    ):
        add(f"multipart, {name}", read, partial(filled, b"", each, end, join=b""), small)
    packed = b"\r\nContent-Transfer-Encoding: base64\r\n\r\n"
    for name, before, each in (
        ("parameters", named, b";a=b"),
        ("header lines", named + b"\r\n", b"a: b\r\n"),
        ("near boundaries", file + b"\r\n\r\n", b"\r\n--a"),
        ("one field", named + b"\r\n\r\n", b"x"),
        ("base64 of spaces", file + packed + b"A", b" "),
        ("base64 in a field", named + packed + b"A", b" "),
        ("one file", file + b"\r\n\r\n", b"x"),
    ):
        add(
            f"multipart, {name}",
            read,
            partial(filled, before, each, b"\r\n" + end, join=b""),
            small,
        )


def _parties() -> None:
    read, small = readers.parties, b"organizations:\n  - {slug: a, name: A}\n"
    for name, each in (
        ("values", b"a,"),
        ("lists", b"[],"),
        ("pairs", b"{a: b},"),
        ("texts", b'"a",'),
        ("anchors", b"&a a,"),
    ):
        add(
            f"parties, {name}",
            read,
            partial(filled, b"organizations: [", each, b"]", 1_000_000, b""),
            small,
        )
    add("parties, lines", read, lambda: b"organizations:\n" + b"  - a\n" * 160_000, small)
    add(
        "parties, names",
        read,
        lambda: (
            b"organizations:\n"
            + b"".join(b"  - {slug: a%d, name: A, parts: [operate]}\n" % n for n in range(23_000))
        ),
        small,
    )
    add("parties, comments", read, lambda: b"#\n" * 500_000 + small, small)
    add("parties, long text", read, lambda: b"organizations: " + b"a" * 1_000_000, small)
    add("parties, flow open", read, lambda: b"organizations: " + b"{" * 1_000_000, small)
    add("parties, questions", read, lambda: b"organizations:\n" + b"? a\n" * 240_000, small)


for fill in (
    *(loki, otlp, remote_write, told, files, work, dumps, tars, tables, _forms, _parties),
):
    fill()
