# ruff: noqa: E501, PLR0915  a list: one attempt a line reads best
"""Hostile pushes by OpenTelemetry's exporters and by remote_write."""

import struct
from functools import partial

from apps.telemetry.formats.protobuf.wire import encoded, encoded_varint
from tests.contracts.amplification import readers
from tests.contracts.amplification.attempts import HALF, SIZE, add, filled, numbered

KV = encoded(6, encoded(1, b"k") + encoded(2, b""))


def otlp() -> None:
    def logs(record: bytes, count: int) -> bytes:
        return encoded(1, encoded(2, encoded(2, record) * count))

    line = encoded(5, encoded(1, b"x" * 150))
    small = logs(b"\x09" + struct.pack("<Q", 10**18) + line, 1)
    read = readers.otlp_logs_protobuf
    add(
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
    add("otlp logs, empty records", read, lambda: logs(b"", HALF // 2), small)
    add("otlp logs, empty scopes", read, lambda: encoded(1, b"\x12\x00" * (HALF // 2)), small)
    add("otlp logs, empty resources", read, lambda: b"\x0a\x00" * (HALF // 2), small)
    add("otlp logs, long tags", read, lambda: encoded(1, b"\x92\x00\x00" * (HALF // 3)), small)
    add("otlp logs, behind a group", read, lambda: b"\x7b\x7c" + logs(b"", HALF // 2), small)
    add("otlp logs, empty attributes", read, lambda: logs(b"\x32\x00" * 700_000, 1), small)
    add("otlp logs, attributes", read, lambda: logs(KV * 250_000, 1), small)
    add(
        "otlp logs, nested lists",
        read,
        lambda: logs(encoded(5, encoded(5, b"\x0a\x00" * 700_000)), 1),
        small,
    )
    add(
        "otlp logs, short records",
        read,
        lambda: logs(encoded(5, encoded(1, b"x")), HALF // 10),
        small,
    )
    add(
        "otlp logs, honest records",
        read,
        lambda: logs(b"\x09" + struct.pack("<Q", 10**18) + line + KV * 3, HALF // 205),
        small,
    )
    add(
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
        add(
            f"otlp logs json, {name}",
            readers.otlp_logs_json,
            partial(filled, head, each, tail, HALF),
            json_small,
        )
    add(
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
    add("otlp metrics, empty points", m_read, lambda: metrics(b"", HALF // 2), m_small)
    add("otlp metrics, short points", m_read, lambda: metrics(point, 99_000), m_small)
    add(
        "otlp metrics, honest points",
        m_read,
        lambda: metrics(point + attribute * 4, 60_000),
        m_small,
    )
    add(
        "otlp metrics, empty quantiles",
        m_read,
        lambda: encoded(
            1, encoded(2, encoded(2, encoded(11, encoded(1, b"\x32\x00" * 1_000_000))))
        ),
        m_small,
    )
    add(
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
    add("otlp metrics, exemplars", m_read, lambda: metrics(b"\x2a\x00" * 700_000, 1), m_small)
    mj_small = b'{"resourceMetrics":[{"scopeMetrics":[{"metrics":[{"name":"up","gauge":{"dataPoints":[{"asDouble":1}]}}]}]}]}'
    m_head, m_tail = (
        b'{"resourceMetrics":[{"scopeMetrics":[{"metrics":[{"name":"up","gauge":{"dataPoints":[',
        b"]}}]}]}]}",
    )
    for name, each in (("empty points", b"{}"), ("short points", b'{"asDouble":1}'), ("numbers", b"1"),
                       ("honest points", b'{"timeUnixNano":"1763690400000000000","asDouble":1.5,"attributes":[{"key":"gpu","value":{"stringValue":"3"}}]}')):  # fmt: skip
        add(
            f"otlp metrics json, {name}",
            readers.otlp_metrics_json,
            partial(filled, m_head, each, m_tail, HALF),
            mj_small,
        )


def remote_write() -> None:
    up = encoded(1, encoded(1, b"__name__") + encoded(2, b"up"))
    sample = b"\x09" + struct.pack("<d", 1.5) + b"\x10" + encoded_varint(1763690400000)
    small = encoded(1, up + encoded(2, sample))

    def series(n: int) -> bytes:
        return encoded(
            1, up + encoded(1, encoded(1, b"n") + encoded(2, b"%d" % n)) + encoded(2, sample)
        )

    read = readers.remote_write_1
    add("remote_write 1, empty series", read, lambda: b"\x0a\x00" * (SIZE // 2), small)
    add(
        "remote_write 1, empty samples",
        read,
        lambda: encoded(1, up + b"\x12\x00" * (SIZE // 2)),
        small,
    )
    add(
        "remote_write 1, short samples", read, lambda: encoded(1, up + b"\x12\x00" * 299_000), small
    )
    add("remote_write 1, series", read, lambda: b"".join(map(series, range(59_000))), small)
    add(
        "remote_write 1, labels",
        read,
        lambda: encoded(1, b"\x0a\x04\x0a\x00\x12\x00" * (SIZE // 6)),
        small,
    )
    add(
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
    add("remote_write 1, metadata", read, lambda: b"\x1a\x00" * 490_000, small)
    add(
        "remote_write 1, unknown fields",
        read,
        lambda: encoded(1, up + b"\x78\x01" * (SIZE // 2)),
        small,
    )
    add(
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
    add("remote_write 2, empty symbols", read2, lambda: b"\x22\x00" * (SIZE // 2), small2)
    add("remote_write 2, empty series", read2, lambda: b"\x22\x00" + b"\x2a\x00" * 59_000, small2)
    add(
        "remote_write 2, references",
        read2,
        lambda: small2 + encoded(5, encoded(1, b"\x01\x02" * (HALF))),
        small2,
    )
    add(
        "remote_write 2, fields of a series",
        read2,
        lambda: small2 + encoded(5, b"\x1a\x00" * (HALF)),
        small2,
    )
    add(
        "remote_write 2, series of fields",
        read2,
        lambda: small2 + encoded(5, b"\x1a\x00" * 490_000) * 16,
        small2,
    )
