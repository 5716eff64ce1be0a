"""Credentials and names are hidden; counts, versions and times are not."""

from time import process_time

import pytest

from apps.collect.redact import Hide, Redaction, hosts_in, without_secrets
from apps.secret_shapes import HIDDEN

ALL = Redaction(hides=frozenset(Hide), hosts=("gpu071.aurora.example", "gpu07"))


@pytest.mark.parametrize(
    ("line", "secret"),
    [
        ("export WANDB_API_KEY=1234567890abcdef", "1234567890abcdef"),
        ("HF_TOKEN: hf_abcdefghijklmnopqrstuv", "hf_abc"),
        ('{"password": "hunter2hunter2"}', "hunter2"),
        ("python train.py --api-key abcdefghijkl --lr 3e-4", "abcdefghijkl"),
        ("Authorization: Bearer abc.def-ghi_jkl123456", "abc.def"),
        ("git clone https://minji:s3cretpw@git.example/x", "s3cretpw"),
        ("AWS_SECRET_ACCESS_KEY='wJalrXUtnFEMI/K7MDENG'", "wJalr"),
        ("GET /b/k?X-Amz-Signature=0123456789abcdef&x=1", "0123456789abcdef"),
        ("key AKIAIOSFODNN7EXAMPLE used", "AKIAIOS"),
        ("db_passwd = 'correct horse'", "correct"),
    ],
)
def test_credentials_go(line: str, secret: str) -> None:
    assert secret not in without_secrets(line)
    assert HIDDEN in without_secrets(line)


@pytest.mark.parametrize(
    "line",
    [
        "step 100 | tokens: 4096 | tokens/s 51234.5 | loss 2.11",
        "consumed_tokens=1048576 token: 128000 eos_token=None",
        "pad token id not set, using eos token",
        "NVRM: Xid (PCI:0000:18:00): 79, pid=1234, name=python, GPU has fallen off the bus.",
        "NCCL INFO NET/IB : Using [0]mlx5_0:1/IB [1]mlx5_1:1/RoCE",
        "tokenizer: loaded from disk",
    ],
)
def test_training_words_stay(line: str) -> None:
    assert without_secrets(line) == line


def test_private_keys_go_whole_and_lines_stay_as_many() -> None:
    said = ["a\n", "-----BEGIN RSA PRIVATE KEY-----\n", "MIIE\n", "-----END RSA PRIVATE KEY-----\n"]
    assert list(ALL.lines([*said, "b\n"])) == ["a\n", *[f"{HIDDEN}\n"] * 3, "b\n"]


@pytest.mark.parametrize(
    ("line", "hidden"),
    [
        ("gpu071 and gpu071.aurora.example are one", "node-0001 and node-0001 are one"),
        ("gpu07 is not gpu071, nor gpu0711", "node-0002 is not node-0001, nor gpu0711"),
        ("connect 10.1.2.3:29500 then 10.1.2.3", "connect 198.18.0.1:29500 then 198.18.0.1"),
        ("NCCL version 2.19.3, driver 535.129.03, 127.0.0.1", None),
        ("2026-11-20 03:14:07 took 12:30:45", None),
        ("PCI 0000:3b:00.0 mac aa:bb:cc:dd:ee:ff", None),
        ('File "/opt/conda/lib/python3.11/site.py", line 3', None),
        ('File "/data/secretproject/run/train.py", line 3', 'File "/path-001/train.py", line 3'),
        ("UserId=minji(1000) root user=root", "UserId=user-001(1000) root user=root"),
        ("on gpu[001-071] but mem[0-3]", "on nodes-001 but mem[0-3]"),
        ("gpu099, of another job, gpu9", "node-0003, of another job, gpu9"),
        ("gpu07.ib0 is reached otherwise", "node-0002.ib0 is reached otherwise"),
        ("listens on fd00::7, 0.0.0.0 and ::1", "listens on 2001:db8::1, 0.0.0.0 and ::1"),
        ("peer 2400:1:2:3:4:5:6:7<29500>", "peer 2001:db8::1<29500>"),
        (
            "user=nobody, owner: user-007, owner: kim",
            "user=nobody, owner: user-007, owner: user-001",
        ),
        ("API_KEY=[secret] API_KEY=none API_KEY=123456", None),
    ],
)
def test_names_become_pseudonyms_that_keep_what_differs(line: str, hidden: str | None) -> None:
    redaction = Redaction(hides=frozenset(Hide), hosts=("gpu071.aurora.example", "gpu07"))
    assert redaction.line(line) == (hidden or line)


def test_only_what_is_asked_for_is_hidden() -> None:
    line = "gpu07 10.1.2.3 /home/kim/run/a.py API_KEY=abcdefghijkl"
    key = "-----BEGIN PRIVATE KEY-----"
    for hides, hidden in (
        ({Hide.HOSTS}, "node-0001 10.1.2.3 /home/kim/run/a.py API_KEY=abcdefghijkl"),
        ({Hide.ADDRESSES}, "gpu07 198.18.0.1 /home/kim/run/a.py API_KEY=abcdefghijkl"),
        ({Hide.USERS}, "gpu07 10.1.2.3 /home/user-001/run/a.py API_KEY=abcdefghijkl"),
        (set(), line),
    ):
        redaction = Redaction(hides=frozenset(hides), hosts=("gpu07",))
        assert list(redaction.lines([line, key])) == [hidden, key]
        assert redaction.host("gpu07") == hidden.split(" ")[0]


def test_without_known_hosts_no_list_and_no_name_is_one() -> None:
    line = "gpu07 and gpu[001-071]"
    assert Redaction(hides=frozenset(Hide)).line(line) == line


def test_what_follows_a_key_on_its_last_line_is_the_last_that_is_hidden() -> None:
    said = ["-----BEGIN PRIVATE KEY-----x-----END PRIVATE KEY-----\n", "step 1\n"]
    assert list(ALL.lines(said)) == [f"{HIDDEN}\n", "step 1\n"]


@pytest.mark.parametrize(
    ("line", "hosts"),
    [
        ("host: gpu021.cluster, user@gpu017", ["gpu021.cluster", "gpu017"]),
        ("host: login, node=n4", ["n4"]),
        ("host=ib0.login", ["ib0.login"]),
    ],
)
def test_what_a_line_calls_a_host_has_a_number_in_its_first_name(
    line: str, hosts: list[str]
) -> None:
    assert sorted(hosts_in(line=line)) == sorted(hosts)


def test_a_long_line_costs_no_more_than_its_length() -> None:
    for piece in ("a-", "eyJ", "/a", "token", "1.", "a:", "--password-", "hf_"):
        line = piece * (100_000 // len(piece))
        assert len(ALL.line(line)) <= 3 * len(line)


def test_a_log_of_names_that_never_come_again_takes_no_longer_a_line() -> None:
    redaction = Redaction(hides=frozenset(Hide), hosts=("gpu001",))
    began = process_time()
    for number in range(20_000):
        redaction.line(f"gpu{number:09} 10.0.{number // 250}.{number % 250} /home/u{number}/a")

    assert process_time() - began < 10


def test_no_two_of_very_many_addresses_have_one_pseudonym() -> None:
    hiding = Redaction(hides=frozenset({Hide.ADDRESSES}))
    count = 150_000  # more than the network of tests of routers has
    said = (f"10.{n >> 16}.{n >> 8 & 255}.{n & 255}" for n in range(count))
    told = {hiding.line(each) for each in said}

    assert len(told) == len(hiding.names) == count
    assert not any(each.startswith("10.") for each in told)
