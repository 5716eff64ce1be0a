"""Lines → lines without what is hidden, and where something stands in its place."""

import re
from typing import Final

from apps.diagnosis.logs.line_cleaning import ESCAPES
from apps.secret_shapes import HIDDEN
from apps.sharing.redaction.draft import SEAM, Draft, Groups, RedactedText
from apps.sharing.redaction.hiding import Hiding
from apps.sharing.redaction.kinds import CUT_MARK, FILE_PREFIX, PREFIXES, Kind
from apps.sharing.redaction.known_names import KnownNames
from apps.sharing.redaction.profiles.load import Profile
from apps.sharing.redaction.pseudonyms import LENGTH, LETTERS, Pseudonyms
from apps.sharing.redaction.step_patterns import StepPattern, may_find
from apps.sharing.redaction.steps.addresses import hide_addresses
from apps.sharing.redaction.steps.devices import hide_devices
from apps.sharing.redaction.steps.environment import hide_environment
from apps.sharing.redaction.steps.hosts import hide_hosts, hide_lists
from apps.sharing.redaction.steps.losses import hide_losses
from apps.sharing.redaction.steps.names import hide_known, hide_told
from apps.sharing.redaction.steps.paths import hide_paths
from apps.sharing.redaction.steps.secrets import hide_emails, hide_secrets
from apps.sharing.redaction.steps.urls import hide_urls
from apps.sharing.redaction.vocabulary import load_vocabulary

# What is not seen parts a name from its letters: controls but tabs and line ends, marks of
# direction, joints, and characters that are for use inside of programs only.
UNSEEN: Final = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    "\u200b-\u200f\u202a-\u202e\u2060-\u2069\u2800\u3164\ufdd0-\ufdef\ufe00-\ufe0f\ufeff\uffa0"
    "\ufff9-\ufffb\U000e0000-\U000e01ef]+"
)
# Controls as JSON, shells, rsyslog and terminals spell them out, and signs as addresses do.
SPELLED: Final = re.compile(
    r"(?:\\(?:u00[01][0-9a-fA-F]|x[01][0-9a-fA-F]|0[0-3][0-7]|e(?=\[))|#0[0-3][0-7]|\^\[)"
    r"(?:\[[0-9;?]{0,40}[A-Za-z])?"
    r"|\\[nrtbfv]|%(?:[01][0-9A-Fa-f]|2[0-9A-Fa-f]|3[A-Fa-f]|40|5[B-Fb-f]|60|7[B-Fb-f])"
)
MAY_SPELL: Final = re.compile(r"[\\#^%]")
ORDINARY: Final = re.compile(r"[\n\t\r -~가-힣]*")
MAPPED: Final = "::ffff:"  # in front of an address of version 4 that is written as one of 6
OWN: Final = StepPattern(
    rf"{re.escape(HIDDEN)}|{CUT_MARK}|{MAPPED}[2-5]\d\d(?:\.[2-5]\d\d){{3}}"
    rf"|\b(?:({'|'.join(PREFIXES.values())}|{FILE_PREFIX})-[{LETTERS}]{{{LENGTH + 1}}}"
    r"|[2-5]\d\d(?:\.[2-5]\d\d){3}|1[0-9a-f]{4}(?::1[0-9a-f]{4}){7})"
)
KINDS: Final = {prefix: kind for kind, prefix in PREFIXES.items()} | {FILE_PREFIX: Kind.PATH}
# What was hidden is out of reach of the next: secrets first, folders last, which hold all else.
STEPS: Final = (
    hide_secrets,
    hide_environment,
    hide_urls,
    hide_emails,
    hide_lists,
    hide_known,
    hide_told,
    hide_hosts,
    hide_losses,
    hide_addresses,
    hide_devices,
    hide_paths,
)


def redact_text(
    text: str, *, pseudonyms: Pseudonyms, known: KnownNames, profile: Profile
) -> RedactedText:
    """Return a text, of one line or many, as the profile lets others read it.

    What is redacted already stays as it is. Lines stay as many; characters that nobody sees go.
    """
    data = parted(visible_text(text)).encode("utf-8", "replace")
    known = known.with_words(profile.words)
    if not may_find(data) and not known.stand_in(data):
        return RedactedText(text=data.decode().replace(SEAM, ""), spans=())
    hiding = Hiding(
        draft=Draft(data),
        pseudonyms=pseudonyms,
        known=known,
        profile=profile,
        vocabulary=load_vocabulary(),
    )
    keep_pseudonyms(hiding)
    for step in STEPS:
        step(hiding)
    return hiding.draft.finished()


def visible_text(text: str) -> str:
    """Return what a text shows: without terminal sequences and characters that are not seen."""
    if ORDINARY.fullmatch(text):
        return text
    return UNSEEN.sub("", ESCAPES.sub("", text))


def parted(text: str) -> str:
    """Return a text with a seam behind each escape that is spelled out: names begin behind it."""
    # Few texts have a letter with which one begins.
    return SPELLED.sub(rf"\g<0>{SEAM}", text) if MAY_SPELL.search(text) else text


def keep_pseudonyms(hiding: Hiding) -> None:
    """Put names that this key made out of the reach of the steps."""

    def keep(found: Groups) -> bytes | None:
        name = found[0].decode()
        if name in {HIDDEN, CUT_MARK}:
            return hiding.draft.mark((Kind.SECRET if name == HIDDEN else None, name))
        if not found[1]:
            is_address = hiding.pseudonyms.address_of(name.removeprefix(MAPPED)) is not None
            return hiding.draft.hidden(Kind.ADDRESS, name) if is_address else None
        if not hiding.pseudonyms.is_own(name):
            return None
        return hiding.draft.hidden(KINDS[found[1].decode()], name)

    hiding.draft.replace(OWN, keep)
