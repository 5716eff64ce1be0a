"""What stands where the name of a host stands, whether it is known or not."""
# ruff: noqa: E501  patterns stay whole

import re
from typing import Final

from apps.sharing.redaction.draft import MARK, Groups, Handler
from apps.sharing.redaction.hiding import Hiding
from apps.sharing.redaction.kinds import CUT_MARK, Kind
from apps.sharing.redaction.step_patterns import StepPattern
from apps.sharing.redaction.vocabulary import load_vocabulary

NAME: Final = r"([A-Za-z0-9](?:[\w.-]{0,251}\w)?)"
LEVEL: Final = re.compile(
    rb"TRACE|DEBUG|INFO|NOTICE|WARN(?:ING)?|ERROR|CRITICAL|FATAL|kern|user|daemon"
)
# Each with what it needs, in small letters.
LOG_LINES: Final = (
    # NCCL: host:process:thread [device] …
    (StepPattern(rf"(^|[\s\]>\"'|]){NAME}(:\d+:\d+ \[\w+\] )"), b" ["),
    (
        StepPattern(
            rf"(?m)(^[A-Z][a-z]{{2}} [ \d]\d \d\d:\d\d:\d\d ){NAME}( [\w./()@-]+(?:\[\d+\])?:)"
        ),
        b": ",
    ),
    (
        StepPattern(
            rf"(?m)(^\d{{4}}-\d\d-\d\dT[\d:.,]+(?:Z|[+-]\d\d:?\d\d)? ){NAME}( (?:kernel|[\w./-]+\[\d+\]):)"
        ),
        b"t",
    ),
)
# A word that could be any is no host here: it has a figure, a hyphen or a dot.
SENTENCES: Final = (
    (
        StepPattern(rf"(\b(?:srun|slurmstepd|sbatch|salloc|slurmctld): error: ){NAME}(:)"),
        b": error: ",
    ),
    (
        StepPattern(rf"(\b(?i:on|for|from|to) (?i:host|nodes?|server) ){NAME}([\"':;, )\]]|$)"),
        b" host ",
        b" node",
        b" server ",
    ),
    (StepPattern(rf"(\b(?:Nodes?|Host|host) ){NAME}( )"), b"node", b"host "),
    (
        StepPattern(rf"(\b(?:ON|Node failure on|sending to|lost with) ){NAME}([\s,:]|$)"),
        b"on ",
        b"sending to ",
        b"lost with ",
    ),
    (
        StepPattern(
            rf"((?i:\bresolve (?:host ?(?:name)? )?|getaddrinfo[( ])[\"']?){NAME}([\"':;, )\]]|$)"
        ),
        b"resolve ",
        b"getaddrinfo",
    ),
    (
        StepPattern(
            rf"(\bConnection (?:to|from) |\bto \[|\bon \[|\bremote=\[|\blocal=\[|\bpeer ){NAME}(\]?:\d{{2,5}}\b| closed| port \d+)"
        ),
        *(b"connection ", b" [", b"=[", b"peer "),
    ),
    (StepPattern(r"(\[)([A-Za-z][\w.-]*\w)(:(?:pid=)?\d+\] )"), b"] "),
    (StepPattern(rf"(\b){NAME}(<\d{{2,5}}>)"), b">"),
    (StepPattern(rf"(^|[\s\"'=]){NAME}(:/[^/])"), b":/"),
    (StepPattern(r"()(\bip-\d{1,3}-\d{1,3}-\d{1,3}-\d{1,3}(?:\.[\w-]+)*)()"), b"ip-"),
)
SURE: Final = (
    (StepPattern(rf"(\bnfs: server ){NAME}( )"), b"nfs: server "),
    (StepPattern(rf"(\bssh: (?:connect to host )?){NAME}(:| port)"), b"ssh: "),
)
# A name behind a sign that gives a value.
GIVEN: Final = StepPattern(
    rf"""((?i:(?:^|[^A-Za-z])(?:host_?(?:name|s)?|node_?(?:name|list|addr|s)?|machine|instance|server|master_addr|rdzv[_-]endpoint|(?:batch|alloc)_?(?:host|node)|(?:req|exc|fail)_?node_?(?:list)?)["']?\s{{0,8}}[=:]\s{{0,8}}["'(\[]?|(?:^|\s)--?(?:master[_-]addr|rdzv[_-]endpoint|host(?:name)?s?|node-?list)(?:=|[ \t]+))){NAME}((?:\[[\d,-]+\]|,[A-Za-z][\w.-]*)*)"""
)
WHOLE: Final = StepPattern(
    rf"(?i)()\b((?:[a-z0-9](?:[a-z0-9-]{{0,62}})\.)+(?:{'|'.join(sorted(load_vocabulary().domains))}))()\b"
)
# Slurm's lists: gpu[001-004,007], rack[1-2]-n[01-16].
LIST: Final = StepPattern(
    rf"(^|[^\w\]-])((?:{MARK}|[A-Za-z][\w-]{{0,60}}))\[([\d,-]+)\]((?:[\w-]*\[[\d,-]+\])*[\w-]*)"
)
MOST_LISTED: Final = 256
CODE: Final = re.compile(r"(?i)\.(?:cc|cpp|cu|cuh|c|h|hpp|py|so|rs|go|js)\b")


def hide_hosts(hiding: Hiding) -> None:
    """Hide names in the places of hosts."""
    if not hiding.profile.hides(Kind.HOST):
        return
    for pattern, *needs in LOG_LINES:
        hiding.draft.replace(pattern, _hide(hiding), *needs)
    hiding.draft.replace(GIVEN, _given(hiding), b"=", b":", b"-")
    for pattern, *needs in SURE:
        hiding.draft.replace(pattern, _hide(hiding), *needs)
    for pattern, *needs in (*SENTENCES, (WHOLE, b".")):
        hiding.draft.replace(pattern, _hide(hiding, in_sentence=True), *needs)


def hide_lists(hiding: Hiding) -> None:
    """Write lists of numbered hosts out, one pseudonym each."""
    if not hiding.profile.hides(Kind.HOST) or b"[" not in hiding.draft.data:
        return

    def written_out(found: Groups) -> bytes | None:
        letters = hiding.draft.shown(found[2])
        if not hiding.known.begins_like_ours(letters):
            return None
        names = _names(letters, found[3].decode()) if not found[4] else None
        if names is None or hiding.profile.cuts(Kind.HOST):
            return found[1] + hiding.draft.hidden(Kind.HOST, CUT_MARK)
        told = [
            (Kind.HOST, hiding.pseudonyms.name(Kind.HOST, hiding.known.host(name)))
            for name in names
        ]
        pieces = [piece for each in told for piece in ((None, ","), each)][1:]
        return found[1] + hiding.draft.mark(*pieces)

    hiding.draft.replace(LIST, written_out)


def is_name_of_host(hiding: Hiding, name: str) -> bool:
    """Say whether a name in a host's place is one: no number, address, or word that says nothing."""
    vocabulary = hiding.vocabulary
    low = name.lower()
    if low in vocabulary.nothing or vocabulary.is_public_site(low) or CODE.search(low):
        return False
    return any(map(str.isalpha, name)) and not LEVEL.fullmatch(name.encode())


def _hide(hiding: Hiding, *, in_sentence: bool = False) -> Handler:
    def hide(found: Groups) -> bytes | None:
        name = found[2].decode("utf-8", "replace")
        if (in_sentence and _is_any_word(hiding, name)) or not is_name_of_host(hiding, name):
            return None
        mark = hiding.mark(Kind.HOST, found[2])
        return None if mark is None else found[1] + mark + found[3]

    return hide


def _is_any_word(hiding: Hiding, name: str) -> bool:
    """Say whether a name in a sentence need not be one: it is a word, or counts something."""
    low, vocabulary = name.casefold(), hiding.vocabulary
    if low in hiding.known.kinds:
        return False
    is_attribute = low.count(".") == 1 and low.replace(".", "").isalpha()  # of a program's object
    is_counted = vocabulary.is_word(low) or vocabulary.is_numbered_word(low)
    return low.isalpha() or is_attribute or is_counted


def _given(hiding: Hiding) -> Handler:
    hide = _hide(hiding)

    def hide_given(found: Groups) -> bytes | None:
        name = found[2].decode("utf-8", "replace").casefold()
        is_word = name in hiding.vocabulary.words and name not in hiding.known.kinds
        if is_word and b":" in found[1]:
            return None
        first = hide(found)
        if first is None or not found[3].startswith(b","):
            return first
        others = b",".join(other(name) for name in found[3].split(b","))
        return first[: len(first) - len(found[3])] + others

    def other(name: bytes) -> bytes:
        text = name.decode("utf-8", "replace")
        return (
            hiding.mark(Kind.HOST, name) if name and is_name_of_host(hiding, text) else None
        ) or name

    return hide_given


def _names(letters: str, told: str) -> list[str] | None:
    """Return the hosts of a list; None for one that is too long or no list."""
    names: list[str] = []
    for part in told.split(","):
        first, dash, last = part.partition("-")
        if not first.isdigit() or (dash and not last.isdigit()) or len(part) > 20:
            return None
        numbers = range(int(first), int(last or first) + 1)
        if len(names) + len(numbers) > MOST_LISTED:
            return None
        names += (f"{letters}{number:0{len(first)}d}" for number in numbers)
    return names
