"""Causes to choose from, as options of a form: made once for all who read in a language."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final

from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from apps.incidents.words.opinions import causes_by_layer
from apps.web import words
from apps.web.display.options import Choice, options_markup
from apps.web.incident.hypotheses.why_not import askable_causes
from apps.wording.causes import spoken

KEPT: Final = 512  # a page has two lists of all causes


def askable_options(chosen: str) -> SafeString:
    """Return the causes of which may be asked why not, by name; `chosen` is the slug of one."""
    return _askable(chosen, get_language())


def actual_options(*, really: str, verdict: str) -> SafeString:
    """Return by layer everything that it may really have been, but what the verdict says.

    Both are <layer>/<cause>, `really` is what was chosen before.
    """
    return _actual(really, verdict, get_language())


@lru_cache(KEPT)
def _askable(chosen: str, _language: str | None) -> SafeString:
    return options_markup(askable_causes(), chosen=chosen)


@lru_cache(KEPT)
def _actual(really: str, verdict: str, _language: str | None) -> SafeString:
    groups = (
        format_html(
            '<optgroup label="{}">{}</optgroup>',
            words.layer(layer),
            options_markup(
                (each for each in _of_layer(layer, causes) if each[0] != verdict), chosen=really
            ),
        )
        for layer, causes in causes_by_layer().items()
    )
    return SafeString("".join(groups))


def _of_layer(layer: str, causes: Sequence[str]) -> Iterator[Choice]:
    for cause in causes:
        yield f"{layer}/{cause}", spoken(cause).name
    if layer != "unknown":
        yield f"{layer}/", _("%(layer)s, none of these") % {"layer": words.layer(layer)}
