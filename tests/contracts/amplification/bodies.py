# ruff: noqa: E501, PLR0915, PLC0415  a list: one attempt a line reads best
"""Hostile bodies: of each format the most objects a byte that its grammar allows."""

import gzip
import io
import pickle  # noqa: TID251  writes what the reader must bound; nothing here loads one
import struct
import tarfile
from collections.abc import Callable
from functools import partial
from typing import Any

from apps.telemetry.formats.protobuf.wire import encoded, encoded_varint
from tests.contracts.amplification import readers
from tests.contracts.amplification.cost import Attempt

SIZE = 16 * 2**20
HALF = 8 * 2**20
STAMP = b'"1763690400000000000"'
ATTEMPTS: dict[str, Attempt] = {}
# What read bit by bit takes in all, and files that whoever asks has on a disk, by the mebibyte.
SHARES: dict[str, dict[str, Any]] = {
    "worker, events of parts": {"seconds": 0.5},  # many are told: each may be another GPU
    "worker": {"seconds": 0.3},
    "table": {"copies": 1},
    "wide table": {"seconds": 0.1, "copies": 8},  # as many numbers come back
}


def _add(
    name: str,
    read: Callable[[bytes], str],
    make: Callable[[], bytes],
    small: bytes,
    **more: Any,
) -> None:
    assert name not in ATTEMPTS, name
    more = more or next((each for start, each in SHARES.items() if name.startswith(start)), {})
    ATTEMPTS[name] = Attempt(name=name, make=make, read=read, small=small, **more)


def filled(before: bytes, each: bytes, after: bytes, size: int = SIZE, join: bytes = b",") -> bytes:
    """Return a body of about a size: one part again and again."""
    count = (size - len(before) - len(after)) // (len(each) + len(join))
    return before + join.join([each] * count) + after


def numbered(before: bytes, each: bytes, after: bytes, size: int, join: bytes = b",") -> bytes:
    """Return a body whose parts differ by a number that stands where `%d` does."""
    count = (size - len(before) - len(after)) // (len(each) + 4 + len(join))
    return before + join.join([each % n for n in range(count)]) + after


def snappy(plain: bytes) -> bytes:
    import cramjam

    return bytes(cramjam.snappy.compress_raw(plain))


LOKI = b'{"streams":[{"stream":{"a":"b"},"values":[["1763690400000000000","x"]]}]}'


def _loki() -> None:
    read = readers.loki_json
    for name, before, each, after in (
        ("lists", b'{"streams":[', b"[]", b"]}"),
        ("objects", b'{"streams":[', b"{}", b"]}"),
        ("numbers", b'{"streams":[', b"1", b"]}"),
        ("floats", b'{"streams":[', b"1.5", b"]}"),
        ("empty texts", b'{"streams":[', b'""', b"]}"),
        ("empty entries", b'{"streams":[{"stream":{"a":"b"},"values":[', b"[]", b"]}]}"),
        ("short entries", b'{"streams":[{"stream":{"a":"b"},"values":[', b'["1","x"]', b"]}]}"),
        ("usual entries", b'{"streams":[{"stream":{"a":"b"},"values":[',
         b'["1763690400000000000","' + b"x" * 150 + b'"]', b"]}]}"),
        ("wrong entries", b'{"streams":[{"stream":{"a":"b"},"values":[', b'["x","y"]', b"]}]}"),
        ("streams", b'{"streams":[', b'{"stream":{},"values":[]}', b"]}"),
        ("far numbers", b'{"streams":[{"stream":{"a":"b"},"values":[', b'["' + b"9" * 4000 + b'","y"]', b"]}]}"),
        ("letters of four bytes", b'{"streams":[{"stream":{"a":"b"},"values":[["1763690400000000000","\xf0\x9f\x98\x80',
         b"x", b'"]]}]}'),
        ("commas in texts", b'{"streams":[{"stream":{"a":"b"},"values":[',
         b'["1763690400000000000","' + b"a:1, b:[2], " * 12 + b'"]', b"]}]}"),
        ("line feeds", b'{"streams":[{"stream":{"a":"b"},"values":[["1763690400000000000","', b"\\n", b'"]]}]}'),
        ("depth", b'{"streams":', b"[", b""),
    ):  # fmt: skip
        join = b"" if name in {"depth", "line feeds", "letters of four bytes"} else b","
        _add(
            f"loki json, {name}",
            read,
            partial(filled, before, each, after, HALF, join),
            LOKI,
        )
    _add(
        "loki json, different keys",
        read,
        lambda: numbered(b'{"streams":[{"stream":{', b'"%d":1', b'},"values":[]}]}', HALF),
        LOKI,
    )
    _add(
        "loki json, different streams",
        read,
        lambda: numbered(
            b'{"streams":[', b'{"stream":{"a":"%d"},"values":[["1","x"]]}', b"]}", HALF
        ),
        LOKI,
    )
    _add(
        "loki json, not text",
        read,
        lambda: filled(
            b'{"streams":[{"stream":{"a":"b"},"values":[', b'["1","\xff"]', b"]}]}", HALF
        ),
        LOKI,
    )

    def push(stream: bytes, count: int) -> bytes:
        return encoded(1, stream) * count

    small = encoded(1, encoded(1, b'{a="b"}') + encoded(2, encoded(2, b"x")))
    entry = encoded(2, encoded(1, b"\x08\x01") + encoded(2, b"x"))
    proto = readers.loki_protobuf
    _add("loki protobuf, empty streams", proto, lambda: push(b"", SIZE // 2), small)
    _add(
        "loki protobuf, empty entries", proto, lambda: encoded(1, b"\x12\x00" * (SIZE // 2)), small
    )
    _add(
        "loki protobuf, short entries",
        proto,
        lambda: encoded(1, entry * (SIZE // len(entry))),
        small,
    )
    _add(
        "loki protobuf, empty times",
        proto,
        lambda: encoded(1, encoded(2, b"\x0a\x00" * (SIZE // 2))),
        small,
    )
    _add("loki protobuf, unknown fields", proto, lambda: b"\x78\x01" * (SIZE // 2), small)
    _add(
        "loki protobuf, labels",
        proto,
        lambda: encoded(
            1, encoded(1, b"{" + b",".join(b'a%d="b"' % n for n in range(1_200_000)) + b"}") + entry
        ),
        small,
    )
    _add(
        "loki protobuf, streams of labels",
        proto,
        lambda: push(encoded(1, b'{a="b"}') + entry, SIZE // 22),
        small,
    )
    _add(
        "loki protobuf, honest",
        proto,
        lambda: encoded(
            1,
            encoded(1, b'{a="b"}')
            + encoded(2, encoded(1, b"\x08\x01") + encoded(2, b"x" * 150)) * (SIZE // 160),
        ),
        small,
    )
    _add(
        "loki snappy, honest",
        readers.loki_snappy,
        lambda: snappy(
            encoded(
                1,
                encoded(1, b'{a="b"}')
                + encoded(2, encoded(1, b"\x08\x01") + encoded(2, b"x" * 150)) * (SIZE // 160),
            )[: -0 or None]
        ),
        snappy(small),
    )
    _add(
        "loki snappy, empty entries",
        readers.loki_snappy,
        lambda: snappy(encoded(1, b"\x12\x00" * (SIZE // 2 - 8))),
        snappy(small),
    )
    _add(
        "loki snappy, announces 4 GiB",
        readers.loki_snappy,
        lambda: encoded_varint(2**32 - 1) + b"\x00x",
        snappy(small),
    )


KV = encoded(6, encoded(1, b"k") + encoded(2, b""))


def _otlp() -> None:
    def logs(record: bytes, count: int) -> bytes:
        return encoded(1, encoded(2, encoded(2, record) * count))

    line = encoded(5, encoded(1, b"x" * 150))
    small = logs(b"\x09" + struct.pack("<Q", 10**18) + line, 1)
    read = readers.otlp_logs_protobuf
    _add(
        "otlp logs, labels of a resource",
        read,
        lambda: encoded(
            1,
            encoded(
                1,
                b"".join(
                    encoded(1, encoded(1, b"host.%d" % n) + encoded(2, encoded(1, b"x")))
                    for n in range(1000)
                ),
            )
            + encoded(2, encoded(2, encoded(5, encoded(1, b"x"))) * (HALF // 10)),
        ),
        small,
    )
    _add("otlp logs, empty records", read, lambda: logs(b"", HALF // 2), small)
    _add("otlp logs, empty scopes", read, lambda: encoded(1, b"\x12\x00" * (HALF // 2)), small)
    _add("otlp logs, empty resources", read, lambda: b"\x0a\x00" * (HALF // 2), small)
    _add("otlp logs, long tags", read, lambda: encoded(1, b"\x92\x00\x00" * (HALF // 3)), small)
    _add("otlp logs, behind a group", read, lambda: b"\x7b\x7c" + logs(b"", HALF // 2), small)
    _add("otlp logs, empty attributes", read, lambda: logs(b"\x32\x00" * 700_000, 1), small)
    _add("otlp logs, attributes", read, lambda: logs(KV * 250_000, 1), small)
    _add(
        "otlp logs, nested lists",
        read,
        lambda: logs(encoded(5, encoded(5, b"\x0a\x00" * 700_000)), 1),
        small,
    )
    _add(
        "otlp logs, short records",
        read,
        lambda: logs(encoded(5, encoded(1, b"x")), HALF // 10),
        small,
    )
    _add(
        "otlp logs, honest records",
        read,
        lambda: logs(b"\x09" + struct.pack("<Q", 10**18) + line + KV * 3, HALF // 205),
        small,
    )
    _add(
        "otlp logs, honest commas and tabs",
        read,
        lambda: logs(
            b"\x09"
            + struct.pack("<Q", 10**18)
            + encoded(5, encoded(1, b'step\t1,\n\x12"*2:B loss*2' * 8)),
            HALF // 200,
        ),
        small,
    )
    json_small = b'{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"body":{"stringValue":"x"}}]}]}]}'
    head, tail = b'{"resourceLogs":[{"scopeLogs":[{"logRecords":[', b"]}]}]}"
    for name, each in (
        ("empty records", b"{}"),
        ("short records", b'{"body":{"stringValue":"x"}}'),
        ("honest records", b'{"timeUnixNano":"1763690400000000000","body":{"stringValue":"' + b"x" * 150 + b'"}}'),
        ("numbers", b"1"),
        ("texts", b'""'),
        ("commas in texts", b'{"timeUnixNano":"1763690400000000000","body":{"stringValue":"' + b"a:1, b:[2], " * 12 + b'"}}'),
    ):  # fmt: skip
        _add(
            f"otlp logs json, {name}",
            readers.otlp_logs_json,
            partial(filled, head, each, tail, HALF),
            json_small,
        )
    _add(
        "otlp logs json, unknown keys",
        readers.otlp_logs_json,
        lambda: numbered(b'{"x":{', b'"%d":1', b"}}", HALF),
        json_small,
    )

    def metrics(point: bytes, count: int) -> bytes:
        gauge = encoded(5, encoded(1, point) * count)
        return encoded(1, encoded(2, encoded(2, encoded(1, b"up") + gauge)))

    point = b"\x19" + struct.pack("<Q", 10**18) + b"\x21" + struct.pack("<d", 1.5)
    attribute = encoded(7, encoded(1, b"gpu") + encoded(2, encoded(1, b"3")))
    m_small, m_read = metrics(point, 1), readers.otlp_metrics_protobuf
    _add("otlp metrics, empty points", m_read, lambda: metrics(b"", HALF // 2), m_small)
    _add("otlp metrics, short points", m_read, lambda: metrics(point, 99_000), m_small)
    _add(
        "otlp metrics, honest points",
        m_read,
        lambda: metrics(point + attribute * 4, 60_000),
        m_small,
    )
    _add(
        "otlp metrics, empty quantiles",
        m_read,
        lambda: encoded(
            1, encoded(2, encoded(2, encoded(11, encoded(1, b"\x32\x00" * 1_000_000))))
        ),
        m_small,
    )
    _add(
        "otlp metrics, labels of a resource",
        m_read,
        lambda: encoded(
            1,
            encoded(
                1,
                b"".join(
                    encoded(1, encoded(1, b"host.%d" % n) + encoded(2, encoded(1, b"x")))
                    for n in range(100)
                ),
            )
            + encoded(2, encoded(2, encoded(1, b"up") + encoded(5, encoded(1, point) * 99_000))),
        ),
        m_small,
    )
    _add("otlp metrics, exemplars", m_read, lambda: metrics(b"\x2a\x00" * 700_000, 1), m_small)
    mj_small = b'{"resourceMetrics":[{"scopeMetrics":[{"metrics":[{"name":"up","gauge":{"dataPoints":[{"asDouble":1}]}}]}]}]}'
    m_head, m_tail = (
        b'{"resourceMetrics":[{"scopeMetrics":[{"metrics":[{"name":"up","gauge":{"dataPoints":[',
        b"]}}]}]}]}",
    )
    for name, each in (("empty points", b"{}"), ("short points", b'{"asDouble":1}'), ("numbers", b"1"),
                       ("honest points", b'{"timeUnixNano":"1763690400000000000","asDouble":1.5,"attributes":[{"key":"gpu","value":{"stringValue":"3"}}]}')):  # fmt: skip
        _add(
            f"otlp metrics json, {name}",
            readers.otlp_metrics_json,
            partial(filled, m_head, each, m_tail, HALF),
            mj_small,
        )


def _remote_write() -> None:
    up = encoded(1, encoded(1, b"__name__") + encoded(2, b"up"))
    sample = b"\x09" + struct.pack("<d", 1.5) + b"\x10" + encoded_varint(1763690400000)
    small = encoded(1, up + encoded(2, sample))

    def series(n: int) -> bytes:
        return encoded(
            1, up + encoded(1, encoded(1, b"n") + encoded(2, b"%d" % n)) + encoded(2, sample)
        )

    read = readers.remote_write_1
    _add("remote_write 1, empty series", read, lambda: b"\x0a\x00" * (SIZE // 2), small)
    _add(
        "remote_write 1, empty samples",
        read,
        lambda: encoded(1, up + b"\x12\x00" * (SIZE // 2)),
        small,
    )
    _add(
        "remote_write 1, short samples", read, lambda: encoded(1, up + b"\x12\x00" * 299_000), small
    )
    _add("remote_write 1, series", read, lambda: b"".join(map(series, range(59_000))), small)
    _add(
        "remote_write 1, labels",
        read,
        lambda: encoded(1, b"\x0a\x04\x0a\x00\x12\x00" * (SIZE // 6)),
        small,
    )
    _add(
        "remote_write 1, long labels",
        read,
        lambda: b"".join(
            encoded(
                1,
                up
                + b"".join(
                    encoded(1, encoded(1, b"l%d" % k) + encoded(2, b"%d" % n)) for k in range(100)
                ),
            )
            for n in range(12_500)
        ),
        small,
    )
    _add("remote_write 1, metadata", read, lambda: b"\x1a\x00" * 490_000, small)
    _add(
        "remote_write 1, unknown fields",
        read,
        lambda: encoded(1, up + b"\x78\x01" * (SIZE // 2)),
        small,
    )
    _add(
        "remote_write 1, honest",
        read,
        lambda: b"".join(
            encoded(
                1,
                up + encoded(1, encoded(1, b"n") + encoded(2, b"%d" % n)) + encoded(2, sample) * 5,
            )
            for n in range(55_000)
        ),
        small,
    )
    small2 = (
        encoded(4, b"")
        + encoded(4, b"__name__")
        + encoded(4, b"up")
        + encoded(5, encoded(1, b"\x01\x02") + encoded(2, sample))
    )
    read2 = readers.remote_write_2
    _add("remote_write 2, empty symbols", read2, lambda: b"\x22\x00" * (SIZE // 2), small2)
    _add("remote_write 2, empty series", read2, lambda: b"\x22\x00" + b"\x2a\x00" * 59_000, small2)
    _add(
        "remote_write 2, references",
        read2,
        lambda: small2 + encoded(5, encoded(1, b"\x01\x02" * (HALF))),
        small2,
    )
    _add(
        "remote_write 2, fields of a series",
        read2,
        lambda: small2 + encoded(5, b"\x1a\x00" * (HALF)),
        small2,
    )
    _add(
        "remote_write 2, series of fields",
        read2,
        lambda: small2 + encoded(5, b"\x1a\x00" * 490_000) * 16,
        small2,
    )


def _told() -> None:
    a_small = b'{"version":"4","alerts":[{"status":"firing","labels":{"alertname":"x"},"startsAt":"2025-11-21T02:00:00Z"}]}'
    alert = b'{"status":"firing","labels":{"alertname":"x","instance":"h%d"},"startsAt":"2025-11-21T02:00:00Z"}'
    for name, each in (("numbers", b"1"), ("objects", b"{}"), ("texts", b'""'), ("lists", b"[]")):
        _add(
            f"alerts, {name}",
            readers.alerts,
            partial(filled, b'{"version":"4","alerts":[', each, b"]}"),
            a_small,
        )
        _add(
            f"alerts, {name} outside",
            readers.alerts,
            partial(filled, b'{"version":"4","alerts":[],"x":[', each, b"]}"),
            a_small,
        )
        _add(
            f"session events, {name}",
            readers.session_events,
            partial(filled, b'{"events":[', each, b"]}"),
            b'{"session":"a"}',
        )
        _add(
            f"inventory, {name}",
            readers.inventory,
            partial(filled, b'{"nodes":[', each, b"]}"),
            b'{"nodes":[]}',
        )
        _add(
            f"inventory, {name} outside",
            readers.inventory,
            partial(filled, b'{"x":[', each, b"]}"),
            b'{"nodes":[]}',
        )
    _add(
        "alerts, honest",
        readers.alerts,
        lambda: numbered(b'{"version":"4","alerts":[', alert, b"]}", 1_000_000),
        a_small,
    )
    _add(
        "alerts, more than one group has",
        readers.alerts,
        lambda: numbered(b'{"version":"4","alerts":[', alert, b"]}", 1_900_000),
        a_small,
    )
    _add(
        "alerts, many labels",
        readers.alerts,
        lambda: filled(
            b'{"version":"4","alerts":[',
            b'{"status":"firing","labels":{"alertname":"x",'
            + b",".join(b'"l%d":"v"' % n for n in range(60))
            + b'},"startsAt":"2025-11-21T02:00:00Z"}',
            b"]}",
        ),
        a_small,
    )
    _add(
        "alerts, long labels",
        readers.alerts,
        lambda: numbered(
            b'{"version":"4","alerts":[{"status":"firing","labels":{"alertname":"x",',
            b'"%d":[[]]',
            b'},"startsAt":"2025-11-21T02:00:00Z"}]}',
            SIZE,
        ),
        a_small,
    )
    _add(
        "session events, short",
        readers.session_events,
        lambda: numbered(b'{"events":[', b'{"session":"%d"}', b"]}", SIZE),
        b'{"session":"a"}',
    )
    _add(
        "session events, hosts",
        readers.session_events,
        lambda: filled(b'{"session":"a","hosts":[', b'"a"', b"]}"),
        b'{"session":"a"}',
    )
    _add(
        "session events, ranks",
        readers.session_events,
        lambda: numbered(b'{"session":"a","ranks":{', b'"%d":{}', b"}}", SIZE),
        b'{"session":"a"}',
    )
    _add(
        "session events, exit codes",
        readers.session_events,
        lambda: numbered(b'{"session":"a","exit_codes":{', b'"%d":1', b"}}", SIZE),
        b'{"session":"a"}',
    )
    _add(
        "inventory, named nodes",
        readers.inventory,
        lambda: numbered(b'{"nodes":[', b'{"name":"%d"}', b"]}", SIZE),
        b'{"nodes":[]}',
    )
    _add(
        "inventory, devices",
        readers.inventory,
        lambda: filled(b'{"nodes":[{"name":"a","devices":[', b'{"kind":"g"}', b"]}]}"),
        b'{"nodes":[]}',
    )
    _add(
        "inventory, aliases",
        readers.inventory,
        lambda: filled(b'{"nodes":[{"name":"a","aliases":[', b'""', b"]}]}"),
        b'{"nodes":[]}',
    )
    _add(
        "inventory, links",
        readers.inventory,
        lambda: filled(b'{"links":[', b'{"a":{"host":"a","device":"b"},"b":{"switch":"c"}}', b"]}"),
        b'{"nodes":[]}',
    )
    _add(
        "inventory, mounts",
        readers.inventory,
        lambda: filled(b'{"mounts":[', b'{"path":"a","server":"b"}', b"]}"),
        b'{"nodes":[]}',
    )
    _add(
        "inventory, projects",
        readers.inventory,
        lambda: numbered(b'{"projects":{', b'"%d":""', b"}}", SIZE),
        b'{"nodes":[]}',
    )


def _files() -> None:
    read, small = readers.log_file, b"a\nb\n"
    _add("log, line feeds", read, lambda: b"\n" * SIZE, small)
    _add("log, letters", read, lambda: b"a\n" * (SIZE // 2), small)
    _add("log, one line", read, lambda: b"x" * SIZE, small)
    _add("log, one line of 100 MB", read, lambda: gzip.compress(b"x" * 100_000_000, 1), small)
    _add("log, honest", read, lambda: (b"x" * 150 + b"\n") * (SIZE // 151), small)
    _add("log, no text", read, lambda: b"\xff\n" * (SIZE // 2), small)
    _add("log, NULs", read, lambda: b"\0\n" * (SIZE // 2), small)
    _add("log, carriage returns", read, lambda: b"\r\n" * (SIZE // 2), small)
    _add("log, gzip of 256 MB", read, lambda: gzip.compress(b"x\n" * (128 * 2**20)), small)
    _add(
        "log, gzip in gzip", read, lambda: gzip.compress(gzip.compress(b"x" * (256 * 2**20))), small
    )
    _add("log, empty gzip members", read, lambda: gzip.compress(b"") * (SIZE // 20), small)
    _add(
        "log, zstd of 256 MB",
        read,
        lambda: __import__("zstandard").compress(b"x\n" * (128 * 2**20)),
        small,
    )
    _add("log, empty zstd frames", read, lambda: b"\x50\x2a\x4d\x18\0\0\0\0" * (SIZE // 8), small)
    records = readers.log_records
    _add("records, objects", records, lambda: filled(b"[", b"{}", b"]"), b'[{"a":1}]')
    _add("records, numbers", records, lambda: filled(b"[", b"1", b"]"), b'[{"a":1}]')
    _add(
        "records, objects of numbers",
        records,
        lambda: filled(b'[{"a":[', b"1", b"]}]"),
        b'[{"a":1}]',
    )
    _add(
        "records, hosts",
        records,
        lambda: numbered(b"[", b'{"host":"%d"}', b"]", SIZE),
        b'[{"a":1}]',
    )
    _add("records, lines", records, lambda: b"{}\n" * (SIZE // 3), b'[{"a":1}]')
    _add(
        "records, lines of numbers",
        records,
        lambda: (b'{"a":[' + b",".join([b"1"] * 500_000) + b"]}\n") * 16,
        b'[{"a":1}]',
    )
    _add(
        "records, lines of hosts",
        records,
        lambda: numbered(b"", b'{"host":"%d"}', b"", SIZE, b"\n"),
        b'[{"a":1}]',
    )
    _add(
        "records, honest",
        records,
        lambda: filled(
            b"[", b'{"time":"2025-11-21T02:00:00Z","host":"h1","log":"' + b"x" * 150 + b'"}', b"]"
        ),
        b'[{"a":1}]',
    )


def _work() -> None:
    read, small = readers.work, b"[rank0]: Watchdog caught collective operation timeout: x\nb\n"
    xid = b"[Sun Feb 23 10:00:00 2025] NVRM: Xid (PCI:0000:3b:00): 79, pid=1, GPU has fallen off the bus.\n"
    trace = (
        b'Traceback (most recent call last):\n  File "a.py", line 1, in <module>\nValueError: a\n'
    )
    _add("worker, line feeds", read, lambda: b"\n" * SIZE, small)
    _add("worker, letters", read, lambda: b"a\n" * (SIZE // 2), small)
    _add("worker, honest", read, lambda: (b"x" * 150 + b"\n") * (SIZE // 151), small)
    _add("worker, braces", read, lambda: b"{\n" * (SIZE // 2), small)
    _add("worker, objects", read, lambda: b"{}\n" * (SIZE // 3), small)
    _add("worker, wrapped lines", read, lambda: b'{"time":1,"log":"x"}\n' * (SIZE // 21), small)
    _add(
        "worker, wrapped lists",
        read,
        lambda: (b'{"time":1,"a":[' + b",".join([b"[]"] * 300_000) + b'],"log":"x"}\n') * 18,
        small,
    )
    _add(
        "worker, wrapped bytes",
        read,
        lambda: (b'{"MESSAGE":[' + b",".join([b"1"] * 500_000) + b"]}\n") * 16,
        small,
    )
    _add("worker, export", read, lambda: b"__CURSOR=a\n" + b"A=\n\n" * (SIZE // 4), small)
    _add(
        "worker, ranks",
        read,
        lambda: b"".join(b"[rank%d]: x\n" % n for n in range(1_000_000)),
        small,
    )
    _add("worker, events", read, lambda: xid * (SIZE // len(xid)), small)
    _add(
        "worker, events in other words",
        read,
        lambda: numbered(b"", xid[:-1].replace(b"pid=1", b"pid=%d"), b"", SIZE, b"\n"),
        small,
    )
    _add(
        "worker, events of parts",
        read,
        lambda: numbered(b"", xid[:-1].replace(b"0000:3b", b"%04x:3b"), b"", SIZE, b"\n"),
        small,
    )
    _add("worker, tracebacks", read, lambda: trace * (SIZE // len(trace)), small)
    _add("worker, carriage returns", read, lambda: xid[:-1] + b"\r" * SIZE + b"\n", small)
    _add("worker, escapes", read, lambda: b"\x1b[0m" * (SIZE // 4), small)
    _add(
        "worker, letters of four bytes",
        read,
        lambda: b"\xf0\x9f\x98\x80" + b"x\n" * (SIZE // 2),
        small,
    )


def _dumps() -> None:
    read = readers.dump
    honest: dict[str, Any] = {"version": "2.4", "pg_config": {"0": {"name": "0", "desc": "default_pg", "ranks": "[0, 1]"}},
              "pg_status": {"0": {"last_enqueued_collective": 1, "last_completed_collective": 0}},
              "entries": [{"collective_seq_id": 1, "record_id": 1, "pg_id": 0, "process_group": ["0", "default_pg"], "profiling_name": "nccl:all_reduce", "state": "scheduled", "time_created_ns": 10**18, "input_sizes": [[4]], "input_dtypes": ["Float"]}]}  # fmt: skip
    small = pickle.dumps(honest)
    proto = b"\x80\x04"

    def value(inner: bytes) -> bytes:
        return proto + b"}\x94(\x8c\x07entries](" + inner + b"e\x8c\x07version\x8c\x012u."

    for name, each in (("lists", b"]"), ("dicts", b"}"), ("sets", b"\x8f"), ("empty tuples", b")"), ("numbers", b"K\x01"), ("large numbers", b"J\0\0\1\0"),
                       ("marks", b"("), ("texts", b"\x8c\x01a"), ("floats", b"G" + b"\1" * 8), ("nones", b"N"), ("recalled", b"h\0"), ("long numbers", b"\x8a\x08" + b"\1" * 8)):  # fmt: skip
        _add(f"pickle, {name}", read, partial(value, each * (SIZE // len(each))), small)
        _add(f"pickle, {name}, fewer", read, partial(value, each * 990_000), small)
    _add("pickle, remembered", read, lambda: value(b"N\x94" * 990_000), small)
    _add(
        "pickle, tuples of tuples",
        read,
        lambda: value(b")" + b"\x94\x86".join([b"h\0"] * 2) * 1),
        small,
    )
    _add(
        "pickle, doubled",
        read,
        lambda: value(
            b"]\x94"
            + b"".join(
                b"(h" + bytes([n % 250 + 1]) + b"h" + bytes([n % 250 + 1]) + b"l\x94"
                for n in range(30)
            )
        ),
        small,
    )
    _add(
        "pickle, shared entries",
        read,
        lambda: pickle.dumps({"version": "2", "entries": [honest["entries"][0]] * 2_000_000}),
        small,
    )
    _add(
        "pickle, shared dumps",
        read,
        lambda: pickle.dumps({str(n): honest for n in range(100_000)}),
        small,
    )
    text = "x" * 100_000
    _add(
        "pickle, shared names",
        read,
        lambda: pickle.dumps(
            {
                "version": "2",
                "pg_config": {
                    str(n): {"desc": text, "ranks": text.replace("x", "1,")} for n in range(2000)
                },
                "pg_status": {},
                "entries": [],
            }
        ),
        small,
    )
    numbers = list(range(50_000))
    _add(
        "pickle, shared ranks",
        read,
        lambda: pickle.dumps(
            {
                "version": "2",
                "pg_config": {str(n): {"ranks": numbers} for n in range(100)},
                "pg_status": {},
                "entries": [],
            }
        ),
        small,
    )
    _add("pickle, long decimal", read, lambda: proto + b"I" + b"9" * 4000 + b"\n.", small)
    _add(
        "pickle, honest",
        read,
        lambda: pickle.dumps(
            honest
            | {
                "entries": honest["entries"] * 1
                + [
                    dict(
                        honest["entries"][0],
                        record_id=n,
                        frames=[{"name": "f", "filename": "a.py", "line": n}],
                    )
                    for n in range(20_000)
                ]
            }
        ),
        small,
    )
    j_small = b'{"version":"2","pg_config":{},"pg_status":{},"entries":[{"collective_seq_id":1}]}'
    j_head = b'{"version":"2","pg_config":{},"pg_status":{},"entries":['
    for name, each in (
        ("numbers", b"1"),
        ("floats", b"1.5"),
        ("objects", b"{}"),
        ("texts", b'""'),
        ("lists", b"[]"),
        ("keys", b'{"a":1}'),
    ):
        _add(f"flight json, {name}", read, partial(filled, j_head, each, b"]}"), j_small)
    _add(
        "flight json, different keys",
        read,
        lambda: numbered(j_head + b"{", b'"%d":1', b"}]}", SIZE),
        j_small,
    )
    _add("flight json, depth", read, lambda: j_head + b"[" * 900_000, j_small)
    ras = b'{"communicators_count":1,"communicators":['
    _add("ras json, communicators", read, lambda: filled(ras, b'{"size":1}', b"]}"), ras + b"]}")
    _add(
        "ras json, ranks",
        read,
        lambda: filled(ras + b'{"size":9,"ranks":[', b'{"rank":1}', b"]}]}"),
        ras + b"]}",
    )
    _add(
        "ras json, kinds",
        read,
        lambda: numbered(
            ras + b'{"size":9,"ranks":[{"collective_counts":{',
            b'"%d":1',
            b"}}," + b",".join([b"{}"] * 900) + b"]}]}",
            800_000,
        ),
        ras + b"]}",
    )
    title = b"NCCL version 2.28.3 compiled with CUDA 13.0\n\nJob summary\n"
    _add("ras text, lines", read, lambda: title + b"\n" * SIZE, title)
    _add("ras text, rows", read, lambda: title + b" 0  1  1  1  8  8 x\n" * (SIZE // 20), title)
    _add(
        "ras text, kinds",
        read,
        lambda: (
            title
            + b" 0  1  1  1  8  8 x\n#0-0 (0123456789abcdef) MISMATCH\n"
            + b"  Communicator ranks have different \n" * (SIZE // 37)
        ),
        title,
    )
    inspector = b'{"header":{"id":"a","rank":1,"n_ranks":2},"coll_perf":{"coll":"a","coll_sn":%d,"coll_exec_time_us":1}}'
    _add(
        "inspector, calls", read, lambda: numbered(b"", inspector, b"", SIZE, b"\n"), inspector % 1
    )
    _add("inspector, line feeds", read, lambda: inspector % 1 + b"\n" * SIZE, inspector % 1)
    _add("inspector, braces", read, lambda: inspector % 1 + b"\n{" * (SIZE // 2), inspector % 1)
    _add(
        "inspector, members",
        read,
        lambda: b"\n".join(
            (inspector % 1).replace(b'"rank":1', b'"rank":%d' % n) for n in range(150_000)
        ),
        inspector % 1,
    )
    _add(
        "inspector, lists",
        read,
        lambda: inspector % 1 + b"\n" + filled(b'{"a":[', b"[]", b"]}"),
        inspector % 1,
    )


def _tars() -> None:
    def archive(fill: Callable[[tarfile.TarFile], None]) -> bytes:
        out = io.BytesIO()
        with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as tar:
            fill(tar)
        return out.getvalue()

    def member(name: str = "a.log", size: int = 0, **headers: str) -> tarfile.TarInfo:
        info = tarfile.TarInfo(name)
        info.size, info.pax_headers = size, headers
        return info

    small = archive(lambda tar: tar.addfile(member(size=2), io.BytesIO(b"a\n")))
    empty = archive(lambda tar: tar.addfile(member()))[:512]
    read = readers.tar

    def pax(count: int, one: bytes) -> bytes:
        body = one * count
        info = tarfile.TarInfo("pax")
        info.type, info.size = tarfile.XHDTYPE, len(body)
        return info.tobuf(tarfile.USTAR_FORMAT) + body + bytes(-len(body) % 512) + small

    def announced(kind: bytes, size: int) -> bytes:
        info = tarfile.TarInfo("long")
        info.type, info.size = kind, size
        return info.tobuf(tarfile.GNU_FORMAT) + b"x" * 600_000

    _add("tar, empty members", read, lambda: empty * (SIZE // 512), small)
    _add("tar, empty members packed", read, lambda: gzip.compress(empty * 400_000), small)
    _add("tar, pax pairs", read, lambda: pax(SIZE // 7, b"7 a=bc\n"), small)
    _add(
        "tar, different pax pairs",
        read,
        lambda: pax(1, b"".join(b"%d a%07d=b\n" % (14, n) for n in range(1_000_000))),
        small,
    )
    _add("tar, pax packed", read, lambda: gzip.compress(pax(40_000_000, b"7 a=bc\n")), small)
    _add(
        "tar, long name packed",
        read,
        lambda: gzip.compress(_long(tarfile.GNUTYPE_LONGNAME, 256 * 2**20)),
        small,
    )
    _add(
        "tar, long link packed",
        read,
        lambda: gzip.compress(_long(tarfile.GNUTYPE_LONGLINK, 256 * 2**20)),
        small,
    )
    _add(
        "tar, announced long name",
        read,
        lambda: announced(tarfile.GNUTYPE_LONGNAME, 2**33 - 1),
        small,
    )
    _add("tar, announced pax", read, lambda: announced(tarfile.XHDTYPE, 2**33 - 1), small)
    _add("tar, global pax", read, lambda: _global(empty), small)
    _add("tar, sparse", read, _sparse, small)
    _add(
        "tar, chain of long names",
        read,
        lambda: _long(tarfile.GNUTYPE_LONGNAME, 1) * 5000 + small,
        small,
    )


def _long(kind: bytes, size: int) -> bytes:
    info = tarfile.TarInfo("long")
    info.type, info.size = kind, size
    return info.tobuf(tarfile.GNU_FORMAT) + b"x" * size + bytes(-size % 512)


def _global(empty: bytes) -> bytes:
    body = b"".join(b"14 a%07d=b\n"[:0] + b"%d a%07d=b\n" % (13, n) for n in range(100_000))
    info = tarfile.TarInfo("pax")
    info.type, info.size = tarfile.XGLTYPE, len(body)
    return info.tobuf(tarfile.USTAR_FORMAT) + body + bytes(-len(body) % 512) + empty * 5000


def _sparse() -> bytes:
    """Return a member of GNU's old sparse format with a map as long as the file."""
    info = tarfile.TarInfo("a.log")
    info.type, info.size = tarfile.GNUTYPE_SPARSE, 0
    head = bytearray(info.tobuf(tarfile.GNU_FORMAT))
    head[482] = 1
    head[148:156] = b" " * 8
    head[148:156] = b"%06o\0 " % sum(head)
    block = (b"00000000001\0" + b"00000000000\0") * 21 + b"\1" + bytes(7)
    return bytes(head) + block * (SIZE // 512)


def _tables() -> None:
    read, small = readers.table, b"time,metric,value\n1,up,2\n"
    _add(
        "table, columns",
        read,
        lambda: b"time," + b"," * (SIZE // 2) + b"\n1," + b"," * (SIZE // 2) + b"\n",
        small,
    )
    _add("table, rows", read, lambda: b"time,metric,value\n" + b"1,,\n" * (SIZE // 4), small)
    _add(
        "table, series",
        read,
        lambda: numbered(b"time,metric,value\n", b"1,a%d,2", b"", SIZE, b"\n"),
        small,
    )
    _add(
        "table, labels",
        read,
        lambda: (
            b"time,metric,value,"
            + b",".join(b"l%d" % n for n in range(2000))
            + b"\n"
            + (b"1,up,2," + b"," * 1999 + b"\n") * 8000
        ),
        small,
    )
    _add(
        "table, wide of one",
        read,
        lambda: (
            b"time,"
            + b",".join(b'"up{a=""%d""}"' % n for n in range(300_000))
            + b"\n1"
            + b",1" * 300_000
            + b"\n"
        ),
        small,
    )
    _add(
        "table, honest",
        read,
        lambda: numbered(
            b"time,metric,value,Hostname\n",
            b"17636904%d,DCGM_FI_DEV_GPU_TEMP,55,gpu001",
            b"",
            SIZE,
            b"\n",
        ),
        small,
    )
    answer = b'{"status":"success","data":{"resultType":"matrix","result":['
    for name, each in (
        ("objects", b"{}"),
        ("series", b'{"metric":{},"values":[]}'),
        ("short series", b'{"metric":{"a":"b"},"values":[[1,"1"]]}'),
    ):
        _add(
            f"range answer, {name}",
            readers.range_answer,
            partial(filled, answer, each, b"]}}"),
            answer + b"]}}",
        )
    _add(
        "range answer, samples",
        readers.range_answer,
        lambda: filled(answer + b'{"metric":{},"values":[', b'[1,"1"]', b"]}]}}"),
        answer + b"]}}",
    )
    _add(
        "range answer, warnings",
        readers.range_answer,
        lambda: filled(answer + b'],"warnings":[', b"[]", b"]}}"),
        answer + b"]}}",
    )
    _add(
        "range answer, honest",
        readers.range_answer,
        lambda: filled(
            answer,
            b'{"metric":{"__name__":"DCGM_FI_DEV_GPU_TEMP","Hostname":"gpu001"},"values":['
            + b",".join([b'[1763690400.781,"55.25"]'] * 120)
            + b"]}",
            b"]}}",
        ),
        answer + b"]}}",
    )
    vector = answer.replace(b"matrix", b"vector")
    _add(
        "vector answer, objects",
        readers.vector_answer,
        lambda: filled(vector, b"{}", b"]}}"),
        vector + b"]}}",
    )
    names = b'{"status":"success","data":['
    for name, each, count in (
        ("lists", b"[]", 0),
        ("texts", b'"a"', 0),
        ("numbers", b"1", 0),
        ("objects", b"{}", 0),
        ("other texts", b'"%07d"', 1),
    ):
        make = numbered if count else filled
        small = names + b'"a"]}'
        _add(
            f"label values, {name}",
            readers.label_values,
            partial(make, names, each, b"]}", SIZE),
            small,
        )
    wide = readers.wide_table
    _add(
        "wide table, columns",
        wide,
        lambda: b"time," + b"a," * (SIZE // 4) + b"a\n1," + b"," * (SIZE // 4) + b"\n",
        b"time,a\n1,2\n",
    )
    _add("wide table, rows", wide, lambda: b"time,a\n" + b"1,\n" * (SIZE // 3), b"time,a\n1,2\n")
    _add("wide table, text", wide, lambda: b"time,a\n" + b"1,x\n" * (SIZE // 4), b"time,a\n1,2\n")


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
        _add(f"multipart, {name}", read, partial(filled, b"", each, end, join=b""), small)
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
        _add(
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
        _add(
            f"parties, {name}",
            read,
            partial(filled, b"organizations: [", each, b"]", 1_000_000, b""),
            small,
        )
    _add("parties, lines", read, lambda: b"organizations:\n" + b"  - a\n" * 160_000, small)
    _add(
        "parties, names",
        read,
        lambda: (
            b"organizations:\n"
            + b"".join(b"  - {slug: a%d, name: A, parts: [operate]}\n" % n for n in range(23_000))
        ),
        small,
    )
    _add("parties, comments", read, lambda: b"#\n" * 500_000 + small, small)
    _add("parties, long text", read, lambda: b"organizations: " + b"a" * 1_000_000, small)
    _add("parties, flow open", read, lambda: b"organizations: " + b"{" * 1_000_000, small)
    _add("parties, questions", read, lambda: b"organizations:\n" + b"? a\n" * 240_000, small)


for add in (
    *(_loki, _otlp, _remote_write, _told, _files, _work, _dumps, _tars, _tables, _forms, _parties),
):
    add()
