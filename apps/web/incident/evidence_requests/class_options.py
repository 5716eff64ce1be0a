"""Classes of data that may be asked for, as options: made once for all who read in a language."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from django.utils.safestring import SafeString
from django.utils.translation import get_language

from apps.incidents.evidence_requests.request_terms import ASKED_FAMILIES
from apps.sharing.terms import ANY
from apps.web.display.data_classes import class_names
from apps.web.display.options import options_markup

KEPT: Final = 128


def asked_class(data: str) -> str:
    """Return a class of data where it may be asked for, else nothing."""
    return data if data in _asked(get_language()) else ""


def class_options(chosen: str) -> SafeString:
    """Return the classes that may be asked for, by name; `chosen` is one of them, or empty."""
    return _options(chosen, get_language())


@lru_cache(KEPT)
def _asked(_language: str | None) -> Mapping[str, str]:
    return {
        data: name
        for data, name in class_names().items()
        if data.startswith(ASKED_FAMILIES) and not data.endswith(ANY)
    }


@lru_cache(KEPT)
def _options(chosen: str, language: str | None) -> SafeString:
    return options_markup(_asked(language).items(), chosen=chosen)
