# ruff: noqa: E501, PLR0915  a list: one attempt a line reads best
"""Hostile dumps: flight records as JSON and pickle, Inspector, RAS."""

import pickle  # noqa: TID251  writes what the reader must bound; nothing here loads one
from functools import partial
from typing import Any

from tests.contracts.amplification import readers
from tests.contracts.amplification.attempts import SIZE, add, filled, numbered


def dumps() -> None:
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
        add(f"pickle, {name}", read, partial(value, each * (SIZE // len(each))), small)
        add(f"pickle, {name}, fewer", read, partial(value, each * 990_000), small)
    add("pickle, remembered", read, lambda: value(b"N\x94" * 990_000), small)
    add(
        "pickle, tuples of tuples",
        read,
        lambda: value(b")" + b"\x94\x86".join([b"h\0"] * 2) * 1),
        small,
    )
    add(
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
    add(
        "pickle, shared entries",
        read,
        lambda: pickle.dumps({"version": "2", "entries": [honest["entries"][0]] * 2_000_000}),
        small,
    )
    add(
        "pickle, shared dumps",
        read,
        lambda: pickle.dumps({str(n): honest for n in range(100_000)}),
        small,
    )
    text = "x" * 100_000
    add(
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
    add(
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
    add("pickle, long decimal", read, lambda: proto + b"I" + b"9" * 4000 + b"\n.", small)
    add(
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
        add(f"flight json, {name}", read, partial(filled, j_head, each, b"]}"), j_small)
    add(
        "flight json, different keys",
        read,
        lambda: numbered(j_head + b"{", b'"%d":1', b"}]}", SIZE),
        j_small,
    )
    add("flight json, depth", read, lambda: j_head + b"[" * 900_000, j_small)
    ras = b'{"communicators_count":1,"communicators":['
    add("ras json, communicators", read, lambda: filled(ras, b'{"size":1}', b"]}"), ras + b"]}")
    add(
        "ras json, ranks",
        read,
        lambda: filled(ras + b'{"size":9,"ranks":[', b'{"rank":1}', b"]}]}"),
        ras + b"]}",
    )
    add(
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
    add("ras text, lines", read, lambda: title + b"\n" * SIZE, title)
    add("ras text, rows", read, lambda: title + b" 0  1  1  1  8  8 x\n" * (SIZE // 20), title)
    add(
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
    add("inspector, calls", read, lambda: numbered(b"", inspector, b"", SIZE, b"\n"), inspector % 1)
    add("inspector, line feeds", read, lambda: inspector % 1 + b"\n" * SIZE, inspector % 1)
    add("inspector, braces", read, lambda: inspector % 1 + b"\n{" * (SIZE // 2), inspector % 1)
    add(
        "inspector, members",
        read,
        lambda: b"\n".join(
            (inspector % 1).replace(b'"rank":1', b'"rank":%d' % n) for n in range(150_000)
        ),
        inspector % 1,
    )
    add(
        "inspector, lists",
        read,
        lambda: inspector % 1 + b"\n" + filled(b'{"a":[', b"[]", b"]}"),
        inspector % 1,
    )
