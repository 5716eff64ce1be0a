"""How sure an answer may be called, and how that is written wherever it is shown."""

from typing import Final

# Of the layer: what an answer has to pass to be called so. `gate` asks for more.
LIKELY: Final = 0.80
POSSIBLE: Final = 0.50
# Nearer than this two explanations are alike: neither may be acted on as if it were the only one.
HAIR: Final = 0.05


def odds_text(value: float) -> str:
    """Return a probability in two digits; what did not pass a gate is not rounded up to it."""
    if value < 0.01:
        return "<0.01"
    shown = round(value, 2)
    if any(value < gate <= shown for gate in (LIKELY, POSSIBLE)):
        shown -= 0.01
    return f"{shown:.2f}"
