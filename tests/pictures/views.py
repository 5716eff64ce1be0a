"""How each page is looked at: light, dark, as wide as a phone, in Korean."""

from dataclasses import dataclass
from typing import Final

ENDING: Final = ".webp"


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """A width in pixels, a colour scheme and a language."""

    name: str
    width: int = 1440
    scheme: str = "light"
    language: str = "en"


VIEWS: Final = (
    View(name="light"),
    View(name="dark", scheme="dark"),
    View(name="390", width=390),
    View(name="ko", language="ko"),
)
