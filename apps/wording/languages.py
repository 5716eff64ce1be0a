"""Speakers of other languages where no portal runs: commands that read files, in their user's.

The catalog is the pages' own; only who asks for another language than English loads it.
"""

from collections.abc import Mapping
from functools import cache
from gettext import GNUTranslations
from importlib.util import find_spec
from pathlib import Path

from apps.wording import ENGLISH, KINDS
from apps.wording.speaker import Speaker

OWN = "en"
CATALOGS = {"ko": "locale/ko/LC_MESSAGES/django.mo"}
LANGUAGES = (OWN, *CATALOGS)
# Where the user's language is looked for, as gettext does: the first that is set decides.
VARIABLES = ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG")


def language_of(*, environment: Mapping[str, str]) -> str:
    """Return the user's language, English where theirs has no catalog here."""
    said = next((environment[name] for name in VARIABLES if environment.get(name)), "")
    wanted = (each.partition(".")[0].partition("_")[0].lower() for each in said.split(":"))
    return next((each for each in wanted if each in LANGUAGES), OWN)


@cache
def speaker_of(*, language: str) -> Speaker:
    """Return who speaks a language."""
    if language == OWN:
        return ENGLISH
    catalog = _catalog(CATALOGS[language])
    return Speaker(
        translate=lambda words: catalog.gettext(words) if words else "",
        kinds=KINDS,
        language=language,
    )


def _catalog(name: str) -> GNUTranslations:
    found = find_spec("portal")  # finding it loads nothing of it
    (root,) = (found.submodule_search_locations if found else None) or [""]
    with (Path(root) / name).open("rb") as stream:
        return GNUTranslations(stream)
