"""What lets somebody in: keys, tokens, passwords, e-mail addresses. It goes in every profile."""
# ruff: noqa: E501  patterns stay whole

import binascii
import re
from base64 import b64decode
from functools import partial
from typing import Final

from apps.secret_shapes import SHAPES_SOURCE, WORDS
from apps.sharing.redaction.draft import MARK, SEAM, Groups
from apps.sharing.redaction.hiding import Hiding
from apps.sharing.redaction.step_patterns import StepPattern
from apps.sharing.redaction.steps.private_keys import hide_private_keys

VALUE: Final = rf"""(\\?"(?:[^"\n\\]|\\[^"\n])+|\\?'[^'\n]+|(?:{MARK}|[^\s"',;}}&\]\\])+)"""
SHAPED: Final = StepPattern(rf"({SHAPES_SOURCE}|eyJ[\w-]{{8,}}\.[\w-]{{8,}}\.[\w-]{{8,}})")
BEARER: Final = StepPattern(r"((?i:\bbearer[ \t]+))([\w.~+/-]{8,}=*)")
BASIC: Final = StepPattern(r"((?i:\bbasic[ \t]+))([A-Za-z0-9+/]{8,}={0,2})")
HEADER: Final = StepPattern(
    r"""(?i)(\b(?:proxy-)?(?:authorization|(?:set-)?cookie|x-[\w-]*(?:token|key|auth))["']?[ \t]*:[ \t]*["']?)([^\n"']+)"""
)
NAME_OF_TOKEN: Final = r"(?:(?:\b|[_-])token|(?-i:[a-z0-9]Token))(?:[_-](?:id|value|secret))?"  # noqa: S105  a pattern
NAMED: Final = StepPattern(
    rf"""(?i)((?:(?:{WORDS}|_pat\b|_key\b|\bpin\b|\bpw\b)[\w-]*|{NAME_OF_TOKEN})\\?["']?\]?[ \t]*(?:=>|[=:]|%3[ADad]{SEAM})[ \t]*){VALUE}"""
)
OPTION: Final = StepPattern(
    rf"""(?i)((?:^|[\s"'\[,({SEAM}])--?(?:[\w-]*(?:{WORDS})[\w-]*|(?:[\w-]*[_-])?token|pw)(?:=|[ \t]+|["'],[ \t]*)){VALUE}"""
)
# What programs ask for without a name for it.
LOGIN: Final = StepPattern(
    r"""((?:sshpass|(?:wandb|docker|podman|hf|huggingface-cli) login|mysql|curl|wget)\b[^\n|;]{0,200}?[ \t](?:-p|-u|--user)[ =]?)([^\s-][^\s]*)"""
)
WANDB: Final = StepPattern(r"((?i:wandb)[^\n]{0,80}?[ =:\"'])([0-9a-f]{40})\b")
OF_SITE: Final = StepPattern(
    r"((?i:\b(?:sig|signature|x-amz-signature|x-amz-credential|x-goog-signature)=))([^\s&\"']+)"
)
EMAIL: Final = StepPattern(
    rf"(?:[\w.+%-]|{MARK})+@[A-Za-z0-9][\w-]*(?:\.[\w-]+)*\.[A-Za-z]{{2,24}}\b(:[\w./~-]+)?"
)
LEAST_LETTERS: Final = 20  # of a token that has no figures: words are shorter
# Bare numbers and measures behind such words are counts: `tokens: 4096`, `token=17`.
COUNT: Final = re.compile(rb"[\d.,:/%()\[\]+-]+[kKmMbBsS]?|<\S{0,20}", re.IGNORECASE)
NOTHING: Final = re.compile(rb"none|null|true|false|\*+", re.IGNORECASE)
STRONG: Final = re.compile(WORDS.encode(), re.IGNORECASE)


def hide_secrets(hiding: Hiding) -> None:
    """Hide everything that lets somebody in."""
    hide_private_keys(hiding)
    for pattern, hide, needs in STEPS:
        hiding.draft.replace(pattern, partial(hide, hiding), *needs)


def _whole(hiding: Hiding, _found: Groups) -> bytes:
    return hiding.secret()


def _named(hiding: Hiding, found: Groups) -> bytes | None:
    value = found[2].lstrip(b"\\\"'")
    is_count = COUNT.fullmatch(value) and not STRONG.search(found[1])
    if not value or is_count or NOTHING.fullmatch(value):
        return None
    opening = found[2][: len(found[2]) - len(value)]
    return found[1] + opening + hiding.secret()


def _bearer(hiding: Hiding, found: Groups) -> bytes | None:
    is_word = found[2].isalpha() and len(found[2]) < LEAST_LETTERS
    return None if is_word else _named(hiding, found)


def _basic(hiding: Hiding, found: Groups) -> bytes | None:
    return _named(hiding, found) if _is_login(found[2]) else None


def _is_login(encoded: bytes) -> bool:
    """Say whether a text is `user:password` as HTTP writes it."""
    try:
        return b":" in b64decode(encoded, validate=True)
    except binascii.Error:
        return False


STEPS: Final = (
    (SHAPED, _whole, ()),
    (HEADER, _named, (b"authorization", b"cookie", b"x-")),
    (BEARER, _bearer, (b"bearer",)),
    (BASIC, _basic, (b"basic",)),
    (NAMED, _named, (b"=", b":", b"%3")),
    (OPTION, _named, (b"-",)),
    (LOGIN, _named, (b"login", b"sshpass", b"mysql", b"curl", b"wget")),
    (WANDB, _named, (b"wandb",)),
    (OF_SITE, _named, (b"sig", b"credential")),
)


def hide_emails(hiding: Hiding) -> None:
    """Hide addresses of people, and what git calls so: `git@host:folder`."""

    def whole(_found: Groups) -> bytes:
        return hiding.secret()

    if b"@" in hiding.draft.data:
        hiding.draft.replace(EMAIL, whole)
