"""Pages as tests search in them, however their templates are laid out."""

import re

VERBATIM = re.compile(r"(<(?:pre|textarea)\b.*?</(?:pre|textarea)>)", re.DOTALL)
# Beside these, a line break in a template is a space on the page.
WITHIN_TEXT = "a|b|i|span|small|time|kbd|code|strong"
SPACES = (
    (rf"(?<=</)({WITHIN_TEXT})>\s*\n\s*(?=[^<\s])", r"\1> "),
    (rf"(?<=[^>\s])\s*\n\s*(?=<(?:{WITHIN_TEXT})\b)", " "),
    (r"(?<=>)\s*\n\s*|\s*\n\s*(?=[<>])", ""),
    (r"\s*\n\s*|  +", " "),
    (r" +>", ">"),
)


def one_line(page: str) -> str:
    """Return a page without the line breaks and indents of its templates."""
    parts = VERBATIM.split(page)
    return "".join(part if n % 2 else _joined(part) for n, part in enumerate(parts))


def _joined(text: str) -> str:
    for found, instead in SPACES:
        text = re.sub(found, instead, text)
    return text
