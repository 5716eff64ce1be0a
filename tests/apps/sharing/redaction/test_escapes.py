r"""Escapes that a log spells out hide no name: of `\nminji` the name begins behind the n."""

import pytest

from apps.sharing.redaction.known_names import KnownNames
from tests.apps.sharing.redaction.owner import read

ESCAPES = (
    r"\n", r"\t", r"\r", r"\u001b[31m", r"\u001B[1;32m", r"\x1b[0m", r"\033[31m", r"\e[1m",
    "#033[31m", "#011", "^[[31m", "%2F", "%20", "%3D", "%3a", "%0A",
)  # fmt: skip
NAMES = ("minji", "gpu10", "node-0071", "pretrain-lunar", "lunar-7b")
UNSEEN = ("\ufe0f", "\u034f", "\u3164", "\u115f", "\uffa0", "\u180b", "\U000e0101", "\u2800")


@pytest.mark.parametrize("escape", ESCAPES)
@pytest.mark.parametrize("name", NAMES)
def test_a_name_behind_an_escape_is_hidden(escape: str, name: str) -> None:
    told = read(f'{{"log":"done{escape}{name} failed"}}')

    assert name not in told
    assert told.startswith(f'{{"log":"done{escape}')


@pytest.mark.parametrize(
    ("text", "hidden"),
    [
        (r"up\n10.1.2.3 down", "10.1.2.3"),
        ("#033[1m10.1.2.3#033[0m", "10.1.2.3"),
        (r"up\nhost=brandnew9 down", "brandnew9"),
        (r"up\n/srv/orchard/x.pt down", "orchard"),
        (r"up\nckpt/orchard/x.pt down", "orchard"),
        (r"up\nsomebody@10.1.2.3 down", "somebody"),
        (r"up\n--model orchard-9b down", "orchard"),
    ],
)
def test_what_a_line_says_is_found_behind_one(text: str, hidden: str) -> None:
    assert hidden not in read(text)


@pytest.mark.parametrize(
    "text",
    [
        r"{'log': 'up\nBearer qwertyuiopasdfgh1234'}",
        r"up\n--password qwertyuiopasdfgh1234",
        "aws_secret_access_key%3Dqwertyuiopasdfgh1234",
        "password%3dqwertyuiopasdfgh1234",
    ],
)
def test_a_credential_behind_one_is_hidden(text: str) -> None:
    told = read(text, known=KnownNames())

    assert "qwertyuiop" not in told
    assert "[secret]" in told


@pytest.mark.parametrize("sign", UNSEEN)
def test_a_sign_that_nobody_sees_parts_no_name(sign: str) -> None:
    assert read(f"min{sign}ji on node-{sign}0071") == read("minji on node-0071")


def test_a_key_in_json_is_hidden_whole() -> None:
    body = r"\n".join(["MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQ"] * 3)
    text = rf'"key": "-----BEGIN PRIVATE KEY-----\n{body}\n-----END PRIVATE KEY-----\n", "a": 1'

    assert "MIIE" not in read(text)


@pytest.mark.parametrize("text", ["done\\nup", "util 50%20 of", "a\\x1b[0mb", "C:\\temp", "#011x"])
def test_a_text_with_escapes_and_nothing_to_hide_is_unchanged(text: str) -> None:
    assert read(text, known=KnownNames()) == text
