"""What a party says of a verdict, and what it may say that it really was."""

from collections.abc import Mapping
from functools import cache

from apps.diagnosis.causes.load import load_causes
from apps.diagnosis.model import Layer, Statement, statement
from apps.incidents.states import Judgement
from apps.wording.causes import cause as words_of

NOT_ESTABLISHED = "unknown"


@cache
def causes_by_layer() -> Mapping[str, tuple[str, ...]]:
    """Return layer → slugs of what it may really have been, by name."""
    found: dict[str, list[str]] = {str(layer): [] for layer in Layer}
    for cause in load_causes().values():
        if cause.slug != NOT_ESTABLISHED:
            found[str(cause.layer)].append(cause.slug)
    return {
        layer: tuple(sorted(slugs, key=lambda slug: words_of(slug).name))
        for layer, slugs in found.items()
    }


def opinion_fact(*, judgement: str, layer: str, cause: str) -> Statement:
    """Return right, or wrong and what it was."""
    if judgement == Judgement.RIGHT:
        return statement("right")
    if not layer:
        return statement("wrong")
    if not cause:
        return statement("wrong-layer", layer=layer)
    return statement("wrong-cause", layer=layer, cause=cause)
