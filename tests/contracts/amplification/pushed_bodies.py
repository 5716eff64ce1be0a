# ruff: noqa: E501  a list: one attempt a line reads best
"""Hostile pushes: Loki, and what schedulers say as JSON."""

from functools import partial

from apps.telemetry.formats.protobuf.wire import encoded, encoded_varint
from tests.contracts.amplification import readers
from tests.contracts.amplification.attempts import HALF, SIZE, add, filled, numbered, snappy

STAMP = b'"1763690400000000000"'
LOKI = b'{"streams":[{"stream":{"a":"b"},"values":[["1763690400000000000","x"]]}]}'


def loki() -> None:
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
        add(
            f"loki json, {name}",
            read,
            partial(filled, before, each, after, HALF, join),
            LOKI,
        )
    add(
        "loki json, different keys",
        read,
        lambda: numbered(b'{"streams":[{"stream":{', b'"%d":1', b'},"values":[]}]}', HALF),
        LOKI,
    )
    add(
        "loki json, different streams",
        read,
        lambda: numbered(
            b'{"streams":[', b'{"stream":{"a":"%d"},"values":[["1","x"]]}', b"]}", HALF
        ),
        LOKI,
    )
    add(
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
    add("loki protobuf, empty streams", proto, lambda: push(b"", SIZE // 2), small)
    add("loki protobuf, empty entries", proto, lambda: encoded(1, b"\x12\x00" * (SIZE // 2)), small)
    add(
        "loki protobuf, short entries",
        proto,
        lambda: encoded(1, entry * (SIZE // len(entry))),
        small,
    )
    add(
        "loki protobuf, empty times",
        proto,
        lambda: encoded(1, encoded(2, b"\x0a\x00" * (SIZE // 2))),
        small,
    )
    add("loki protobuf, unknown fields", proto, lambda: b"\x78\x01" * (SIZE // 2), small)
    add(
        "loki protobuf, labels",
        proto,
        lambda: encoded(
            1, encoded(1, b"{" + b",".join(b'a%d="b"' % n for n in range(1_200_000)) + b"}") + entry
        ),
        small,
    )
    add(
        "loki protobuf, streams of labels",
        proto,
        lambda: push(encoded(1, b'{a="b"}') + entry, SIZE // 22),
        small,
    )
    add(
        "loki protobuf, honest",
        proto,
        lambda: encoded(
            1,
            encoded(1, b'{a="b"}')
            + encoded(2, encoded(1, b"\x08\x01") + encoded(2, b"x" * 150)) * (SIZE // 160),
        ),
        small,
    )
    add(
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
    add(
        "loki snappy, empty entries",
        readers.loki_snappy,
        lambda: snappy(encoded(1, b"\x12\x00" * (SIZE // 2 - 8))),
        snappy(small),
    )
    add(
        "loki snappy, announces 4 GiB",
        readers.loki_snappy,
        lambda: encoded_varint(2**32 - 1) + b"\x00x",
        snappy(small),
    )


def told() -> None:
    a_small = b'{"version":"4","alerts":[{"status":"firing","labels":{"alertname":"x"},"startsAt":"2025-11-21T02:00:00Z"}]}'
    alert = b'{"status":"firing","labels":{"alertname":"x","instance":"h%d"},"startsAt":"2025-11-21T02:00:00Z"}'
    for name, each in (("numbers", b"1"), ("objects", b"{}"), ("texts", b'""'), ("lists", b"[]")):
        add(
            f"alerts, {name}",
            readers.alerts,
            partial(filled, b'{"version":"4","alerts":[', each, b"]}"),
            a_small,
        )
        add(
            f"alerts, {name} outside",
            readers.alerts,
            partial(filled, b'{"version":"4","alerts":[],"x":[', each, b"]}"),
            a_small,
        )
        add(
            f"session events, {name}",
            readers.session_events,
            partial(filled, b'{"events":[', each, b"]}"),
            b'{"session":"a"}',
        )
        add(
            f"inventory, {name}",
            readers.inventory,
            partial(filled, b'{"nodes":[', each, b"]}"),
            b'{"nodes":[]}',
        )
        add(
            f"inventory, {name} outside",
            readers.inventory,
            partial(filled, b'{"x":[', each, b"]}"),
            b'{"nodes":[]}',
        )
    add(
        "alerts, honest",
        readers.alerts,
        lambda: numbered(b'{"version":"4","alerts":[', alert, b"]}", 1_000_000),
        a_small,
    )
    add(
        "alerts, more than one group has",
        readers.alerts,
        lambda: numbered(b'{"version":"4","alerts":[', alert, b"]}", 1_900_000),
        a_small,
    )
    add(
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
    add(
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
    add(
        "session events, short",
        readers.session_events,
        lambda: numbered(b'{"events":[', b'{"session":"%d"}', b"]}", SIZE),
        b'{"session":"a"}',
    )
    add(
        "session events, hosts",
        readers.session_events,
        lambda: filled(b'{"session":"a","hosts":[', b'"a"', b"]}"),
        b'{"session":"a"}',
    )
    add(
        "session events, ranks",
        readers.session_events,
        lambda: numbered(b'{"session":"a","ranks":{', b'"%d":{}', b"}}", SIZE),
        b'{"session":"a"}',
    )
    add(
        "session events, exit codes",
        readers.session_events,
        lambda: numbered(b'{"session":"a","exit_codes":{', b'"%d":1', b"}}", SIZE),
        b'{"session":"a"}',
    )
    add(
        "inventory, named nodes",
        readers.inventory,
        lambda: numbered(b'{"nodes":[', b'{"name":"%d"}', b"]}", SIZE),
        b'{"nodes":[]}',
    )
    add(
        "inventory, devices",
        readers.inventory,
        lambda: filled(b'{"nodes":[{"name":"a","devices":[', b'{"kind":"g"}', b"]}]}"),
        b'{"nodes":[]}',
    )
    add(
        "inventory, aliases",
        readers.inventory,
        lambda: filled(b'{"nodes":[{"name":"a","aliases":[', b'""', b"]}]}"),
        b'{"nodes":[]}',
    )
    add(
        "inventory, links",
        readers.inventory,
        lambda: filled(b'{"links":[', b'{"a":{"host":"a","device":"b"},"b":{"switch":"c"}}', b"]}"),
        b'{"nodes":[]}',
    )
    add(
        "inventory, mounts",
        readers.inventory,
        lambda: filled(b'{"mounts":[', b'{"path":"a","server":"b"}', b"]}"),
        b'{"nodes":[]}',
    )
    add(
        "inventory, projects",
        readers.inventory,
        lambda: numbered(b'{"projects":{', b'"%d":""', b"}}", SIZE),
        b'{"nodes":[]}',
    )
