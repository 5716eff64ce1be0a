# ruff: noqa: E501  a list: one attempt a line reads best
"""Hostile files: logs, tables and what workers read of them."""

import gzip
from functools import partial

from tests.contracts.amplification import readers
from tests.contracts.amplification.attempts import SIZE, add, filled, numbered


def files() -> None:
    read, small = readers.log_file, b"a\nb\n"
    add("log, line feeds", read, lambda: b"\n" * SIZE, small)
    add("log, letters", read, lambda: b"a\n" * (SIZE // 2), small)
    add("log, one line", read, lambda: b"x" * SIZE, small)
    add("log, one line of 100 MB", read, lambda: gzip.compress(b"x" * 100_000_000, 1), small)
    add("log, honest", read, lambda: (b"x" * 150 + b"\n") * (SIZE // 151), small)
    add("log, no text", read, lambda: b"\xff\n" * (SIZE // 2), small)
    add("log, NULs", read, lambda: b"\0\n" * (SIZE // 2), small)
    add("log, carriage returns", read, lambda: b"\r\n" * (SIZE // 2), small)
    add("log, gzip of 256 MB", read, lambda: gzip.compress(b"x\n" * (128 * 2**20)), small)
    add(
        "log, gzip in gzip", read, lambda: gzip.compress(gzip.compress(b"x" * (256 * 2**20))), small
    )
    add("log, empty gzip members", read, lambda: gzip.compress(b"") * (SIZE // 20), small)
    add(
        "log, zstd of 256 MB",
        read,
        lambda: __import__("zstandard").compress(b"x\n" * (128 * 2**20)),
        small,
    )
    add("log, empty zstd frames", read, lambda: b"\x50\x2a\x4d\x18\0\0\0\0" * (SIZE // 8), small)
    records = readers.log_records
    add("records, objects", records, lambda: filled(b"[", b"{}", b"]"), b'[{"a":1}]')
    add("records, numbers", records, lambda: filled(b"[", b"1", b"]"), b'[{"a":1}]')
    add(
        "records, objects of numbers",
        records,
        lambda: filled(b'[{"a":[', b"1", b"]}]"),
        b'[{"a":1}]',
    )
    add(
        "records, hosts",
        records,
        lambda: numbered(b"[", b'{"host":"%d"}', b"]", SIZE),
        b'[{"a":1}]',
    )
    add("records, lines", records, lambda: b"{}\n" * (SIZE // 3), b'[{"a":1}]')
    add(
        "records, lines of numbers",
        records,
        lambda: (b'{"a":[' + b",".join([b"1"] * 500_000) + b"]}\n") * 16,
        b'[{"a":1}]',
    )
    add(
        "records, lines of hosts",
        records,
        lambda: numbered(b"", b'{"host":"%d"}', b"", SIZE, b"\n"),
        b'[{"a":1}]',
    )
    add(
        "records, honest",
        records,
        lambda: filled(
            b"[", b'{"time":"2025-11-21T02:00:00Z","host":"h1","log":"' + b"x" * 150 + b'"}', b"]"
        ),
        b'[{"a":1}]',
    )


def work() -> None:
    read, small = readers.work, b"[rank0]: Watchdog caught collective operation timeout: x\nb\n"
    xid = b"[Sun Feb 23 10:00:00 2025] NVRM: Xid (PCI:0000:3b:00): 79, pid=1, GPU has fallen off the bus.\n"
    trace = (
        b'Traceback (most recent call last):\n  File "a.py", line 1, in <module>\nValueError: a\n'
    )
    add("worker, line feeds", read, lambda: b"\n" * SIZE, small)
    add("worker, letters", read, lambda: b"a\n" * (SIZE // 2), small)
    add("worker, honest", read, lambda: (b"x" * 150 + b"\n") * (SIZE // 151), small)
    add("worker, braces", read, lambda: b"{\n" * (SIZE // 2), small)
    add("worker, objects", read, lambda: b"{}\n" * (SIZE // 3), small)
    add("worker, wrapped lines", read, lambda: b'{"time":1,"log":"x"}\n' * (SIZE // 21), small)
    add(
        "worker, wrapped lists",
        read,
        lambda: (b'{"time":1,"a":[' + b",".join([b"[]"] * 300_000) + b'],"log":"x"}\n') * 18,
        small,
    )
    add(
        "worker, wrapped bytes",
        read,
        lambda: (b'{"MESSAGE":[' + b",".join([b"1"] * 500_000) + b"]}\n") * 16,
        small,
    )
    add("worker, export", read, lambda: b"__CURSOR=a\n" + b"A=\n\n" * (SIZE // 4), small)
    add(
        "worker, ranks",
        read,
        lambda: b"".join(b"[rank%d]: x\n" % n for n in range(1_000_000)),
        small,
    )
    add("worker, events", read, lambda: xid * (SIZE // len(xid)), small)
    add(
        "worker, events in other words",
        read,
        lambda: numbered(b"", xid[:-1].replace(b"pid=1", b"pid=%d"), b"", SIZE, b"\n"),
        small,
    )
    add(
        "worker, events of parts",
        read,
        lambda: numbered(b"", xid[:-1].replace(b"0000:3b", b"%04x:3b"), b"", SIZE, b"\n"),
        small,
    )
    add("worker, tracebacks", read, lambda: trace * (SIZE // len(trace)), small)
    add("worker, carriage returns", read, lambda: xid[:-1] + b"\r" * SIZE + b"\n", small)
    add("worker, escapes", read, lambda: b"\x1b[0m" * (SIZE // 4), small)
    add(
        "worker, letters of four bytes",
        read,
        lambda: b"\xf0\x9f\x98\x80" + b"x\n" * (SIZE // 2),
        small,
    )


def tables() -> None:
    read, small = readers.table, b"time,metric,value\n1,up,2\n"
    add(
        "table, columns",
        read,
        lambda: b"time," + b"," * (SIZE // 2) + b"\n1," + b"," * (SIZE // 2) + b"\n",
        small,
    )
    add("table, rows", read, lambda: b"time,metric,value\n" + b"1,,\n" * (SIZE // 4), small)
    add(
        "table, series",
        read,
        lambda: numbered(b"time,metric,value\n", b"1,a%d,2", b"", SIZE, b"\n"),
        small,
    )
    add(
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
    add(
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
    add(
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
        add(
            f"range answer, {name}",
            readers.range_answer,
            partial(filled, answer, each, b"]}}"),
            answer + b"]}}",
        )
    add(
        "range answer, samples",
        readers.range_answer,
        lambda: filled(answer + b'{"metric":{},"values":[', b'[1,"1"]', b"]}]}}"),
        answer + b"]}}",
    )
    add(
        "range answer, warnings",
        readers.range_answer,
        lambda: filled(answer + b'],"warnings":[', b"[]", b"]}}"),
        answer + b"]}}",
    )
    add(
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
    add(
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
        add(
            f"label values, {name}",
            readers.label_values,
            partial(make, names, each, b"]}", SIZE),
            small,
        )
    wide = readers.wide_table
    add(
        "wide table, columns",
        wide,
        lambda: b"time," + b"a," * (SIZE // 4) + b"a\n1," + b"," * (SIZE // 4) + b"\n",
        b"time,a\n1,2\n",
    )
    add("wide table, rows", wide, lambda: b"time,a\n" + b"1,\n" * (SIZE // 3), b"time,a\n1,2\n")
    add("wide table, text", wide, lambda: b"time,a\n" + b"1,x\n" * (SIZE // 4), b"time,a\n1,2\n")
