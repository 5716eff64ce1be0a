"""What another reads of a line: what happened stays, whose it was goes."""
# ruff: noqa: E501  lines of logs keep their length

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from apps.sharing.redaction.kinds import Kind
from apps.sharing.redaction.known_names import KnownNames
from apps.sharing.redaction.text import redact_text
from tests.apps.sharing.redaction.owner import KNOWN, OPERATIONS, OTHERS, PSEUDONYMS, SUPPORT, read
from tests.diagnosis.signatures.linearity import is_linear

HOST = PSEUDONYMS.name(Kind.HOST, "gpu1")
NAMES = sorted(
    name for kind, names in KNOWN.of_kinds.items() if OPERATIONS.hides(kind) for name in names
)
PIECES = st.sampled_from(
    [
        *NAMES, "10.1.2.3", "fe80::1:2", "/mnt/moonlight/ckpt/step-7.pt", "loss=2.31", "rank 3", "GPU 5", "Xid 79", "->", ",", "=", ":", "/",
        "https://minji:pw@x.example/a?b=c", "NCCL_DEBUG=INFO", "MY_ENV=x", "--model", "host=", "user=", "\n", " ", "\x1b[0m", "\x00", "\u202e",
        "\ufdd0\ufde0\ufdd1", "\ufffd", "학습", "10.1.2.3/", "10.1.2.3:", "-----BEGIN PRIVATE KEY-----", "[secret]", "▒", "p-", "f-", "host-", "'", '"', "(", "[", "@", "~/", "..",
    ]
)  # fmt: skip
# What stands between words of a line: without any, two words are one.
BETWEEN = st.sampled_from(
    [" ", " ", ", ", ": ", ":", "=", "/", "\n", "; ", " (", "'", '"', "@", "<", "|"]
)
TEXTS = st.one_of(
    st.lists(st.tuples(PIECES, BETWEEN), max_size=12).map(
        lambda told: "".join(piece + between for piece, between in told)
    ),
    st.text(),
)
# The same texts each time: a suite that fails now and then says nothing.
SAME = settings(derandomize=True, max_examples=300, deadline=None)


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (
            "gpu1:12:34 [0] NCCL INFO comm 0x7f rank 3 nranks 8 cudaDev 0 busId c1000 - Init START",
            f"{HOST}:12:34 [0] NCCL INFO comm 0x7f rank 3 nranks 8 cudaDev 0 busId c1000 - Init START",
        ),
        (
            "NET/IB : Got completion from peer 10.1.2.3<50000> with status=12 opcode=2 len=1 vendor err 129",
            f"NET/IB : Got completion from peer {PSEUDONYMS.address('10.1.2.3')}<50000> with status=12 opcode=2 len=1 vendor err 129",
        ),
        ("lm loss: 1.9E+00 | grad norm: 1.234 | loss scale: 32768.0", "lm loss: ▒ | grad norm: ▒ | loss scale: 32768.0"),
        ("{'loss': 2.31, 'losses': [2.1, 2.0], 'lr': 1e-4}", "{'loss': ▒, 'losses': [▒], 'lr': 1e-4}"),
        ("손실: 2.31 at step 7, loss is nan", "손실: ▒ at step 7, loss is nan"),
        ("Training Loss (step 3): 2.31", "Training Loss (step 3): ▒"),
        ("packet loss 1.5 %, signal loss: 3", "packet loss 1.5 %, signal loss: 3"),
        ("NCCL_IB_HCA=mlx5 MY_PROJECT=moonbase RANK=3", "NCCL_IB_HCA=mlx5 MY_PROJECT=▒ RANK=3"),
        ("MY_PROJECT=moon base\nHOME=/x", "MY_PROJECT=▒\nHOME=▒"),
        ("{'MY_PROJECT': 'moon base'}", "{'MY_PROJECT': '▒'}"),
        ("*** JOB 4711 ON gpu1 CANCELLED AT 2026-11-09T03:12:44 ***", f"*** JOB 4711 ON {HOST} CANCELLED AT 2026-11-09T03:12:44 ***"),
        ("tcp://10.1.2.3:29500", f"tcp://{PSEUDONYMS.address('10.1.2.3')}:29500"),
        ("see https://pytorch.org/docs/stable/x.html?a=b", "see https://pytorch.org/docs/stable/x.html?▒"),
        ("UserId=minji(1001) user=root", f"UserId={PSEUDONYMS.name(Kind.USER, 'minji')}(1001) user=root"),
        ("train.py --model moonraker --num-layers 32", f"train.py --model {PSEUDONYMS.name(Kind.MODEL, 'moonraker')} --num-layers 32"),
    ],
)  # fmt: skip
def test_lines_keep_what_a_diagnosis_needs(line: str, told: str) -> None:
    assert read(line) == told


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("hostname: moonbox7 is up", "moonbox7"),
        ("nodelist: moon,star", "star"),
        ("node: master", "master"),
    ],
)
def test_a_name_behind_a_colon_is_hidden_known_or_not_but_for_words(line: str, shown: str) -> None:
    known = KnownNames(hosts=frozenset({"master"}))
    assert shown not in read(line, known=known)
    assert read("node: kernel", known=known) == "node: kernel"


def test_support_reads_which_part_it_is_and_not_whose() -> None:
    line = "gpu1 kernel: GPU-1f3c7b20-94de-4a61-8b0a-6c2e5d7f9a13 serial: 1650124014249 job 4711 user=minji /mnt/x/y.pt"
    told = redact_text(line, pseudonyms=PSEUDONYMS, known=KNOWN, profile=SUPPORT).text
    session = PSEUDONYMS.name(Kind.SESSION, "4711")
    assert told == (
        f"{HOST} kernel: GPU-1f3c7b20-94de-4a61-8b0a-6c2e5d7f9a13 serial: 1650124014249 job {session} user=▒ ▒"
    )
    assert "1f3c7b20" not in read(line)
    assert "1650124014249" not in read(line)


def test_spans_say_what_stands_in_whose_place() -> None:
    redacted = redact_text(
        "host gpu1, loss=2.5: 학습 hf_" + "a1" * 12,
        pseudonyms=PSEUDONYMS,
        known=KNOWN,
        profile=OPERATIONS,
    )
    found = [(span.kind, redacted.text[span.start : span.end]) for span in redacted.spans]
    assert found == [(Kind.HOST, HOST), (Kind.LOSS, "▒"), (Kind.SECRET, "[secret]")]


def test_what_is_not_seen_hides_no_name() -> None:
    for unseen in ("\x1b[31m", "\u202e", "\u200b", "\x00", "\u00ad", "\x1b]0;title\x07"):
        assert read(f"gp{unseen}u1 failed") == f"{HOST} failed"


@SAME
@given(TEXTS)
def test_what_is_redacted_stays_as_it_is(text: str) -> None:
    told = read(text)
    assert read(told) == told


@SAME
@given(TEXTS)
def test_lines_stay_as_many_and_spans_lie_in_the_text(text: str) -> None:
    redacted = redact_text(text, pseudonyms=PSEUDONYMS, known=KNOWN, profile=OPERATIONS)
    assert redacted.text.count("\n") == text.count("\n")
    ends = [0, *(span.end for span in redacted.spans)]
    assert all(span.start >= end for span, end in zip(redacted.spans, ends, strict=False))
    assert ends[-1] <= len(redacted.text)


@SAME
@given(st.sampled_from(NAMES), st.lists(PIECES, max_size=4), st.lists(PIECES, max_size=4))
def test_no_known_name_is_left(name: str, before: list[str], after: list[str]) -> None:
    text = f"{' '.join(before)} {name} {' '.join(after)}"
    for pseudonyms in (PSEUDONYMS, OTHERS):
        told = read(text, pseudonyms=pseudonyms).casefold()
        assert not re.search(rf"(?<![a-z0-9]){re.escape(name.casefold())}(?![a-z0-9])", told)


@given(st.text(alphabet=st.sampled_from("abcdefgh XYZ,\n\t학습은"), max_size=200))
def test_a_text_with_nothing_to_hide_is_unchanged(text: str) -> None:
    assert read(text, known=KnownNames()) == text


@given(st.integers(0, 4096), st.integers(0, 7), st.integers(1, 200), st.integers(0, 1 << 40))
def test_ranks_devices_codes_and_counts_stay(rank: int, gpu: int, xid: int, size: int) -> None:
    line = f"[rank{rank}]: gpu1:{size}:7 [{gpu}] NCCL WARN rank {rank} GPU {gpu} Xid {xid} {size} bytes"
    assert read(line) == line.replace("gpu1", HOST)


@pytest.mark.parametrize(
    "piece",
    [
        "gpu1", "node-00", "a.", "/", "/a", "./a", "10.", "a:", "-", "=", "A_", "password=", "--token ", "token", "://", "https://a@", "eyJ", "x@", "[",
        "host=", "\x1b[", "loss", "loss ", "'", "-----BEGIN RSA PRIVATE KEY-----", "A", "\ufdd0", "학",
    ],
)  # fmt: skip
def test_a_long_line_takes_time_in_proportion(piece: str) -> None:
    assert is_linear(look=read, text=piece * ((8 << 10) // len(piece)))


def test_a_line_of_a_mebibyte_is_read_whole() -> None:
    told = read("x gpu1 /a/b " * 87_000 + "gpu10")
    assert told.count(HOST) == 87_000
    assert told.endswith(PSEUDONYMS.name(Kind.HOST, "gpu10"))


@pytest.mark.parametrize(
    "line",
    [
        "10.1.2.3/vol/craters-v2fe80::1:2.pt",
        "10.1.2.3/vol/ckpt/step-7.pt",
        "fe80::1:2/vol/x.pt",
        "gpu1/vol/x.pt",
        "gpu1:/vol/x.pt",
    ],
)
def test_what_stands_in_front_of_a_path_stays_what_it_is(line: str) -> None:
    assert read(read(line)) == read(line)
    assert read(line).endswith(".pt")
    assert "vol" not in read(line)
