"""What lets somebody in is hidden in every field, whatever the field is said to hold."""

from typing import Any

import pytest

from apps.sharing.redaction.fields import redact_fact, redact_labels
from apps.sharing.redaction.known_names import KnownNames
from apps.sharing.redactor import SECRETS_ALONE
from tests.apps.sharing.redaction.owner import KNOWN, OPERATIONS, PSEUDONYMS, SUPPORT

FULL: Any = {"pseudonyms": PSEUDONYMS, "known": KnownNames(), "profile": SECRETS_ALONE}
LEVELS: list[Any] = [
    FULL,
    {"pseudonyms": PSEUDONYMS, "known": KNOWN, "profile": OPERATIONS},
    {"pseudonyms": PSEUDONYMS, "known": KNOWN, "profile": SUPPORT},
]
TOKEN = "hf_" + "AbCdEfGhIjKlMnOpQrStUvWxYz01234567"
FIELDS = [
    *("path", "file", "host", "endpoint", "peer", "user", "session", "job", "export", "mount"),
    *("uuid", "serial", "guid", "comm_hash", "signal", "cause", "kind", "unit", "msg", "dataset"),
]


@pytest.mark.parametrize("how", LEVELS)
@pytest.mark.parametrize("name", FIELDS)
@pytest.mark.parametrize("secret", [TOKEN, "minji@corp.example"])
def test_no_field_shows_what_lets_somebody_in(name: str, secret: str, how: Any) -> None:
    told = redact_fact({name: f"x {secret}", "fields": {name: secret}}, **how)

    assert secret not in str(told)


@pytest.mark.parametrize("how", LEVELS)
@pytest.mark.parametrize("name", ["password", "DB_PASSWORD", "token", "hf_token", "cookie"])
def test_a_field_that_is_called_a_secret_is_one(name: str, how: Any) -> None:
    assert redact_fact({"fields": {name: "hunter two"}}, **how) == {"fields": {name: "[secret]"}}


@pytest.mark.parametrize("how", LEVELS)
def test_counts_of_tokens_stay(how: Any) -> None:
    told = {"tokens": "4096", "tokens_per_second": "17.5", "key": "value"}
    assert redact_labels(told, **how) == told


def test_what_a_series_has_of_several_kinds_is_read_as_text() -> None:
    told = redact_fact({"signal": "nfs.latency[/mnt/moonlight]", "unit": "B/s"}, **LEVELS[1])

    assert told["signal"].startswith("nfs.latency[/p-")
    assert "moonlight" not in str(told)
    assert told["unit"] == "B/s"


def test_in_full_everything_else_stays() -> None:
    told = {
        "host": "gpu1.lab.example.com", "path": "/mnt/moonlight/run-00012/model.safetensors",
        "uuid": "GPU-1f3c7b20-94de-4a61-8b0a-6c2e5d7f9a13", "pci": "0000:18:00.0",
        "signal": "nfs.latency[/mnt/moonlight]", "export": "10.1.2.3@tcp:/lustre/scratch",
    }  # fmt: skip
    assert redact_fact(told, **FULL) == told
