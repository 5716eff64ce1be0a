"""What lets somebody in goes, however it is written down; counts and words stay."""
# ruff: noqa: S105  none of them opens anything

from base64 import b64encode
from typing import Final

import pytest

from apps.sharing.redaction.known_names import KnownNames
from apps.sharing.redaction.profiles.load import Profile
from apps.sharing.redaction.text import redact_text
from tests.apps.sharing.redaction.owner import KNOWN, OPERATIONS, PSEUDONYMS, SUPPORT, read

LETTERS: Final = "Zx9Qw8Er7Ty6Ui5Op4As3Df2Gh1Jk0LzXcVbNm"
FIGURES: Final = "0f1e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c"
# How each begins → the whole, out of parts: no scanner of repositories takes one for real.
SHAPED: Final = {
    "hugging face": "hf_" + LETTERS[:34],
    "github": "ghp_" + LETTERS[:36],
    "github, fine": "github_pat_" + LETTERS[:30],
    "gitlab": "glpat-" + LETTERS[:20],
    "gitlab runner": "glrt-" + LETTERS[:20],
    "grafana": "glsa_" + LETTERS[:32],
    "openai": "sk-" + LETTERS[:30],
    "openai project": "sk-proj-" + LETTERS[:30],
    "anthropic": "sk-ant-api03-" + LETTERS[:30],
    "stripe": "sk_live_" + LETTERS[:24],
    "aws": "AKIA" + "IOSFODNN7ABCDEFG",
    "aws, for a while": "ASIA" + "IOSFODNN7ABCDEFG",
    "slack": "xoxb-" + "12345678901-" + LETTERS[:24],
    "slack app": "xapp-" + "1-A0-" + LETTERS[:24],
    "faultline": "flt_" + LETTERS[:32],
    "jwt": "eyJ" + LETTERS[:20] + ".eyJ" + LETTERS[:30] + "." + LETTERS[:20],
    "google": "AIza" + LETTERS[:35],
    "google oauth": "ya29." + LETTERS[:30],
    "nvidia": "nvapi-" + LETTERS[:38],
    "npm": "npm_" + LETTERS[:36],
    "pypi": "pypi-" + "AgEIcHlwaS5vcmc" + LETTERS[:20],
    "docker": "dckr_pat_" + LETTERS[:27],
    "digitalocean": "dop_v1_" + FIGURES[:40] + FIGURES[:24],
    "sendgrid": "SG." + LETTERS[:22] + "." + LETTERS[:30],
    "telegram": "123456789:AA" + LETTERS[:33],
    "databricks": "dapi" + FIGURES[:32],
    "vault": "hvs." + LETTERS[:24],
    "tailscale": "tskey-auth-" + LETTERS[:20],
    "replicate": "r8_" + LETTERS[:37],
    "shopify": "shpat_" + FIGURES[:32],
    "linear": "lin_api_" + LETTERS[:38],
    "groq": "gsk_" + LETTERS[:38],
    "wandb": "wandb_v1_" + LETTERS[:30],
    "age": "AGE-SECRET-KEY-1" + LETTERS[:30].upper(),
    "munge": "MUNGE:" + LETTERS[:38] + ":",
    "slack hook": "hooks.slack.com/services/" + "T0AAAAAAA/B0AAAAAAA/" + LETTERS[:24],
    "discord hook": "discord.com/api/webhooks/" + "123456789012/" + LETTERS[:30],
    "rubygems": "rubygems_" + FIGURES[:40] + "0f1e2d3c",
    "e-mail": "minji.kim" + "@" + "aurora.example",
    "account": "postgres://minji:" + LETTERS[:12] + "@" + "db.aurora.example/runs",
}
CONTEXTS: Final = (
    "{}",
    "the key {} was refused",
    'login failed: "{}" (rank 3)',
    "--auth {} --lr 3e-4",
    "KEY={}",
    '{{"value": "{}", "rank": 3}}',
    "https://store.example/get?x={}&y=1",
    "/mnt/runs/{}/out.log",
    "gpu1:12:34 [0] NCCL INFO {}",
    "\x1b[31m토큰 {}\x1b[0m 만료",
)
# Nothing but the name tells what they are.
NAMED: Final = (
    "export WANDB_API_KEY={}",
    "HF_TOKEN: {}",
    '{{"password": "{}"}}',
    "python train.py --api-key {} --lr 3e-4",
    "python train.py --hf-token={} --lr 3e-4",
    "['train.py', '--password', '{}']",
    "Authorization: Digest {}",
    "Cookie: sid={}",
    "AWS_SECRET_ACCESS_KEY='{}'",
    "db_passwd = '{} with a blank {}'",
    'config: {{\\"client_secret\\": \\"{}\\"}}',
    "curl -u minji:{} https://x.example/",
    "sshpass -p {} ssh n1",
    "DefaultEndpointsProtocol=https;AccountKey={};x=1",
    "git clone https://minji:{}@git.example/x",
    "GET /b/k?X-Amz-Signature={}&x=1",
    "private_key={}",
    "encryption-key => {}",
)


@pytest.mark.parametrize("kind", SHAPED)
@pytest.mark.parametrize("profile", [OPERATIONS, SUPPORT], ids=["operations", "support"])
def test_a_secret_goes_wherever_it_stands(kind: str, profile: Profile) -> None:
    secret = SHAPED[kind]
    assert len(SHAPED) == 40
    for context in CONTEXTS:
        told = redact_text(
            context.format(secret), pseudonyms=PSEUDONYMS, known=KNOWN, profile=profile
        )
        for part in (
            secret,
            *filter(None, (secret[at : at + 12] for at in range(0, len(secret) - 12, 4))),
        ):
            if part.isascii() and any(map(str.isdigit, part)) and "/" not in part:
                assert part not in told.text, context


@pytest.mark.parametrize("context", NAMED)
def test_a_value_goes_by_the_name_that_it_has(context: str) -> None:
    secret = "hunter2Zx9Qw8"
    told = read(context.format(secret, secret))
    assert secret not in told
    assert "with a blank" not in told


def test_what_a_header_holds_goes() -> None:
    encoded = b64encode(b"minji:hunter2").decode()
    assert encoded not in read(f"Basic {encoded}")
    assert LETTERS[:20] not in read(f"bearer {LETTERS[:20]}")
    assert (
        read("Basic Optimizer started, bearer channels open")
        == "Basic Optimizer started, bearer channels open"
    )


def test_a_private_key_goes_line_by_line() -> None:
    body = "\n".join(LETTERS[:32] * 2 for _ in range(3))
    key = f"-----BEGIN RSA PRIVATE KEY-----\n{body}\nAb3==\n-----END RSA PRIVATE KEY-----"
    for text in (key, key[:150], key[70:], key.replace("\n", "\\n")):
        told = read(f"before\n{text}\nafter")
        assert LETTERS[:8] not in told
        assert "Ab3==" not in told
        assert told.count("\n") == f"before\n{text}\nafter".count("\n")
        assert told.startswith("before\n")
        assert told.endswith("\nafter")


@pytest.mark.parametrize(
    "line",
    [
        "step 100 | tokens: 4096 | tokens/s 51234.5",
        "consumed_tokens=1048576 token: 128000 eos_token=None",
        "pad token id not set, using eos token",
        "tokenizer: loaded from disk",
        "next-token prediction, --num-tokens 5",
        "NVRM: Xid (PCI:0000:18:00): 79, pid=1234, name=python, GPU has fallen off the bus.",
        "sha256 0f1e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c4b5a69788796a5b4c3d2e1f0",
        "password: null, secret=false",
    ],
)
def test_words_and_counts_of_training_stay(line: str) -> None:
    assert read(line, known=KnownNames()) == line
