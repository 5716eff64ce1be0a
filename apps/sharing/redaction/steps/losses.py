"""How well a model learns: losses, gradient norms, perplexities. `loss=2.31` → `loss=▒`."""
# ruff: noqa: E501  patterns stay whole

from typing import Final

from apps.sharing.redaction.draft import Groups
from apps.sharing.redaction.hiding import Hiding
from apps.sharing.redaction.kinds import CUT_MARK, Kind
from apps.sharing.redaction.step_patterns import StepPattern

NUMBER: Final = r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?"
DECIMAL: Final = r"[-+]?(?:\d*\.\d+|\d+\.|\d+[eE])(?:\d*[eE]?[-+]?\d+)?"
MEASURE: Final = (
    r"(?i:loss(?:es)?|perplexity|ppl|grad[ _-]?norm|gradient norm|gnorm|nll|bpb|bits[ _]per[ _]byte|accuracy|\bacc|bleu|reward)"
    r"|손실(?:값|률)?"
)
# One of them is in whatever is found.
LITERALS: Final = (
    *(b"loss", b"perplexity", b"ppl", b"norm", b"nll", b"bpb", b"byte", b"acc", b"bleu", b"reward"),
    "손실".encode(),
)
ENDING: Final = r"(?i:[ _](?:value|ppl|avg|mean|std|total|smooth))?"
# What stands between: a sign that gives a value, or nothing but blanks before a decimal.
SIGN: Final = StepPattern(
    rf"""((?:\w*[ _/-])?(?:{MEASURE}){ENDING}["']?\]?(?:[ \t]*\([^()\n]{{0,40}}\))?[ \t]*(?:=>|[=:|])[ \t]*["'(\[]?(?i:tensor\()?[\[(]?)({NUMBER}(?:,[ \t]*{NUMBER})*\w*)"""
)
BLANK: Final = StepPattern(
    rf"""((?:^|[^\w])(?:\w*[ _/-])?(?:{MEASURE}){ENDING}["']?(?:[ \t]+(?i:is|was|of|at|to|now))?[ \t]+[(\[]?)({DECIMAL}\w*)"""
)
BEFORE_WORDS: Final = b" \t\n|,;:\"'{(["
NOT_OF_MODELS: Final = (b"packet", b"signal", b"frame")


def hide_losses(hiding: Hiding) -> None:
    """Cut the values; a loss that is no number stays: it says what broke."""
    if not hiding.profile.hides(Kind.LOSS):
        return

    def cut(found: Groups) -> bytes | None:
        if found[1].lower().lstrip(BEFORE_WORDS).startswith(NOT_OF_MODELS):
            return None
        return found[1] + hiding.draft.hidden(Kind.LOSS, CUT_MARK)

    if hiding.draft.holds(*LITERALS):
        hiding.draft.replace(SIGN, cut)
        hiding.draft.replace(BLANK, cut)
