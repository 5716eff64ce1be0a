"""Variables of the environment: how a run was set up stays readable, all other values are cut."""

import re
from typing import Final

from apps.sharing.redaction.draft import MARK, Groups
from apps.sharing.redaction.hiding import Hiding
from apps.sharing.redaction.kinds import CUT_MARK, Kind
from apps.sharing.redaction.step_patterns import StepPattern
from apps.sharing.redaction.vocabulary import load_vocabulary

SINGLE: Final = "|".join(load_vocabulary().single_environment)
NAME: Final = rf"(?:[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+|{SINGLE})"
VALUE: Final = rf"""('\\''[^'\n]*|"(?:[^"\n\\]|\\[^\n])*|'[^'\n]*|(?:{MARK}|[^\s"',;)}}\]])*)"""
# A line that is one variable: its value may hold blanks.
LINE: Final = StepPattern(rf"(?m)^((?:declare -x |export |\+ export )?({NAME})=)([^\n]*)$")
ANYWHERE: Final = StepPattern(rf"(\b({NAME})=){VALUE}")
IN_JSON: Final = StepPattern(rf"""(["']({NAME})["']\s*:\s*)((?:"(?:[^"\n\\]|\\[^\n])*|'[^'\n]*))""")
NEXT: Final = re.compile(rb"[ \t][A-Za-z_][A-Za-z0-9_]*=|[ \t][|&;]|;")


def hide_environment(hiding: Hiding) -> None:
    """Cut the values of variables that say more than how a run was set up."""
    if not hiding.profile.hides(Kind.ENVIRONMENT):
        return
    kept = hiding.vocabulary.kept_environment

    def cut(found: Groups) -> bytes | None:
        name, value = found[2], found[3]
        if (
            name.startswith(kept)
            or not value.strip(b"\"'")
            or value.strip(b"\"'") == CUT_MARK.encode()
        ):
            return None
        quote = value[:1] if value[:1] in {b'"', b"'"} else b""
        return found[1] + quote + hiding.draft.hidden(Kind.ENVIRONMENT, CUT_MARK)

    def cut_line(found: Groups) -> bytes | None:
        if NEXT.search(found[3]) or found[3][:1] in {b'"', b"'"}:
            return None
        return cut(found)

    hiding.draft.replace(LINE, cut_line, b"=")
    hiding.draft.replace(ANYWHERE, cut, b"=")
    hiding.draft.replace(IN_JSON, cut, b"'", b'"')
