"""How each cause is spoken of, in English and in the language of its reader."""

from collections.abc import Mapping
from functools import lru_cache

from django.utils.translation import get_language
from django.utils.translation import gettext as _

from apps.wording.causes.general import GENERAL
from apps.wording.causes.gpu import GPU
from apps.wording.causes.host import HOST
from apps.wording.causes.network import NETWORK
from apps.wording.causes.software import SOFTWARE
from apps.wording.causes.storage import STORAGE
from apps.wording.phrase import CausePhrase

CAUSES: Mapping[str, CausePhrase] = {
    **GPU,
    **NETWORK,
    **STORAGE,
    **HOST,
    **SOFTWARE,
    **GENERAL,
}


def cause(slug: str) -> CausePhrase:
    """Return how a cause is spoken of; an unknown one by its slug."""
    known = CAUSES.get(slug)
    if known:
        return known
    name = slug.replace("-", " ")
    return CausePhrase(
        name=name.capitalize(), clause=f"{name} on {{culprit}}", plain=name, comfort=""
    )


def spoken(slug: str) -> CausePhrase:
    """Return how a cause is spoken of in the reader's language."""
    return _spoken(slug, get_language())


@lru_cache(1024)  # lists name all of them, and a page has several lists
def _spoken(slug: str, _language: str | None) -> CausePhrase:
    known = cause(slug)
    return CausePhrase(
        name=_(known.name),
        clause=_(known.clause),
        plain=_(known.plain),
        comfort=_(known.comfort),
    )
