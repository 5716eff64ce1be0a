"""What the owner calls its own, wherever it stands; and what stands where a name is told."""
# ruff: noqa: E501  patterns stay whole

from typing import Final

from apps.sharing.redaction.draft import MARK, MARK_BYTES, SEAM, Groups, Handler
from apps.sharing.redaction.hiding import Hiding
from apps.sharing.redaction.kinds import Kind
from apps.sharing.redaction.step_patterns import StepPattern
from apps.sharing.redaction.vocabulary import load_vocabulary

VALUE: Final = rf"""(?:{MARK}|[^\s"'<>|;,(){{}}\[\]=&])+"""
USER_AT: Final = StepPattern(
    rf"(^|[\s\"'=(\[{SEAM}])([A-Za-z_][\w.-]{{0,31}})(@(?:{MARK}|\d{{1,3}}(?:\.\d{{1,3}}){{3}}))"
)
USER_FOR: Final = StepPattern(r"((?i:\b(?:for|by|from) user )[\"']?)([A-Za-z_][\w.-]{0,31})")
NUMBERED_USER: Final = StepPattern(
    r"(\b(?:\w{0,20}[Ii]d=|user |User ))([A-Za-z_][\w.-]{0,31})(\(\d+\))"
)
USER_OF_NUMBER: Final = StepPattern(r"(\b(?:uid|gid|groups|euid)=\d+\()([A-Za-z_][\w.-]{0,31})(\))")
# As Weights & Biases and their like tell them.
LOGGED_IN: Final = StepPattern(r"(\blogged in as:? )([A-Za-z_][\w.@-]{0,63})")
RUN: Final = StepPattern(r"(\b(?:Syncing|Resuming|Starting) run )([\w.-]{1,128})")
JOB_NUMBER: Final = StepPattern(
    r"((?i:\b(?:slurm-|job[ _]?(?:id)?[ =:#\"']{1,4}|jobs?/|jobid=|step(?:id)?[ =]{1,2}|session[_ ]?(?:id)?[=: ]{1,2})))(\d{1,12})\b"
)
JOB_NAME: Final = StepPattern(
    r"""(\b(?:JobId|Job)=\S{1,40} (?:Array\w+=\S{1,40} ){0,2}(?:Job)?Name=)([^\s"',;]+)"""
)


USERS: Final = (
    (USER_AT, b"@"),
    (USER_FOR, b"user "),
    (NUMBERED_USER, b"("),
    (USER_OF_NUMBER, b"id="),
    (LOGGED_IN, b"logged in as"),
)


def hide_known(hiding: Hiding) -> None:
    """Hide names that the owner knows."""
    data, last = hiding.draft.data, 0
    parts: list[bytes] = []
    for found in hiding.known.find(data):
        text = hiding.stand_in(found.kind, found.value, known=False)
        if text is not None:
            parts += (data[last : found.start], hiding.draft.hidden(found.kind, text))
            last = found.end
    hiding.draft.data = b"".join((*parts, data[last:]))


def hide_told(hiding: Hiding) -> None:
    """Hide what is told to be a user, a model, a dataset, or a job: `--model solar`."""
    for kind, pattern in TOLD.items():
        if hiding.profile.hides(kind):
            hiding.draft.replace(pattern, _told(hiding, kind), b"=", b"-", b'":', b"':", b'" :')
    if hiding.profile.hides(Kind.USER):
        for pattern, need in USERS:
            hiding.draft.replace(pattern, _user(hiding), need)
    if hiding.profile.hides(Kind.JOB):
        hiding.draft.replace(JOB_NAME, _told(hiding, Kind.JOB), b"name=")
        hiding.draft.replace(RUN, _told(hiding, Kind.JOB), b"ing run ")
    if hiding.profile.hides(Kind.SESSION):
        hiding.draft.replace(JOB_NUMBER, _job_number(hiding))


def _pattern(kind: str) -> StepPattern:
    names = "|".join(load_vocabulary().named[kind])
    return StepPattern(
        rf"""((?i:(?:^|[^\w-])(?:--?(?:{names})(?:=|[ \t]+|["'],[ \t]*)|(?:{names})["']?[ \t]*=[ \t]*|["'](?:{names})["'][ \t]*:[ \t]*))["']?)({VALUE})"""
    )


TOLD: Final = {Kind(kind): _pattern(kind) for kind in load_vocabulary().named}


def _told(hiding: Hiding, kind: Kind) -> Handler:
    vocabulary = hiding.vocabulary

    def hide(found: Groups) -> bytes | None:
        value = found[2].rstrip(b".:")
        text = hiding.draft.shown(value)
        if (
            _says_nothing(hiding, value)
            or text[:1] == "/"
            or text[:2] in {"./", "~/", "--"}
            or "://" in text
        ):
            return None
        if kind is Kind.USER and text.lower() in vocabulary.users:
            return None
        mark = hiding.mark(kind, value)
        return None if mark is None else found[1] + mark + found[2][len(value) :]

    return hide


def _user(hiding: Hiding) -> Handler:
    def hide(found: Groups) -> bytes | None:
        if found[2].decode().lower() in hiding.vocabulary.users:
            return None
        mark = hiding.mark(Kind.USER, found[2])
        return None if mark is None else found[1] + mark + found[3]

    return hide


def _job_number(hiding: Hiding) -> Handler:
    def hide(found: Groups) -> bytes | None:
        mark = hiding.mark(Kind.SESSION, found[2])
        return None if mark is None else found[1] + mark

    return hide


def _says_nothing(hiding: Hiding, value: bytes) -> bool:
    """Say whether a value is a number, a switch, nothing, or hidden already."""
    text = MARK_BYTES.sub(b"", value).decode("utf-8", "replace")
    return not any(map(str.isalpha, text)) or text.lower() in hiding.vocabulary.nothing
