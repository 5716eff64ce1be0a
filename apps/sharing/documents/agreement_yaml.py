"""YAML ↔ agreements: one document each, every fault named by document and key."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from typing import Any, Final

import yaml

from apps.sharing.facade.agreements import AgreementView
from apps.sharing.presets.preset_terms import preset_names
from apps.sharing.terms import BadTerms, Terms, plain_terms, read_terms

KEYS: Final = ("cluster", "between", "gives", "until", "note", "preset")
DOCUMENTS_AT_MOST: Final = 1000
NO_DAY: Final = "until: a day or an instant is wanted, such as 2027-06-30"


@dataclass(frozen=True, slots=True, kw_only=True)
class AgreementDocument:
    """What one document wants to hold between two organizations."""

    place: str  # file and document, for whoever has to mend it
    cluster: str
    between: tuple[str, str]
    terms: Terms | None  # None: as the preset makes them
    preset: str = ""
    until: datetime | None = None
    note: str = ""


def as_yaml(*, views: Iterable[AgreementView]) -> str:
    """Return what holds, or is proposed first, as documents; what has ended is left out."""
    documents = [_plain(view) for view in views if view.current or view.waiting]
    return yaml.safe_dump_all(
        documents, sort_keys=False, allow_unicode=True, explicit_start=True, width=100
    )


def read_documents(*, text: str, name: str) -> Iterator[AgreementDocument]:
    """Yield the documents of a file; raise BadTerms, which names the file and the document."""
    try:
        values = list(yaml.safe_load_all(text))
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        line = f", line {mark.line + 1}" if mark else ""
        raise BadTerms(f"{name}{line}: this is no YAML") from None
    if len(values) > DOCUMENTS_AT_MOST:
        raise BadTerms(f"{name}: {len(values)} documents; at most {DOCUMENTS_AT_MOST}")
    for number, value in enumerate(values, start=1):
        if value is None:
            continue  # a lone `---`
        place = f"{name}, document {number}"
        try:
            yield _document(value, place=place)
        except BadTerms as error:
            raise BadTerms(f"{place}: {error}") from None


def _plain(view: AgreementView) -> dict[str, Any]:
    version = view.current or view.waiting
    assert version is not None  # noqa: S101  the caller looked
    more = {"until": version.until, "note": version.note, "preset": version.preset}
    return {
        "cluster": view.cluster.slug,
        "between": sorted([view.reader.slug, view.other.slug]),
        "gives": plain_terms(version.gives),
        **{name: value for name, value in more.items() if value},
    }


def _document(value: object, *, place: str) -> AgreementDocument:
    if not isinstance(value, Mapping):
        raise BadTerms(f"a mapping with {', '.join(KEYS)} is wanted")
    if unknown := sorted({str(key) for key in value} - {*KEYS}):
        raise BadTerms(f"{unknown[0][:60]} is unknown; there are {', '.join(KEYS)}")
    between = _between(value.get("between"))
    preset = _text(value, "preset")
    if preset and preset not in preset_names():
        raise BadTerms(f"preset: {preset[:60]} is none of {', '.join(preset_names())}")
    if "gives" not in value and not preset:
        raise BadTerms("gives is missing, and so is preset: one of the two is wanted")
    return AgreementDocument(
        place=place,
        cluster=_text(value, "cluster", is_needed=True),
        between=between,
        terms=read_terms(value["gives"], sides=between) if "gives" in value else None,
        preset=preset,
        until=_until(value.get("until")),
        note=_text(value, "note"),
    )


def _between(value: object) -> tuple[str, str]:
    names = [str(each) for each in value] if isinstance(value, list) else []
    if len(set(names)) != 2 or len(names) != 2:
        raise BadTerms("between: the slugs of two organizations are wanted, [a, b]")
    first, second = sorted(names)
    return first, second


def _text(value: Mapping[Any, Any], name: str, *, is_needed: bool = False) -> str:
    found = value.get(name)
    if found is None and not is_needed:
        return ""
    if not isinstance(found, str) or (is_needed and not found):
        raise BadTerms(f"{name}: a text is wanted")
    return found


def _until(value: object) -> datetime | None:
    """Return the instant; of a day its end, as on the page of an agreement."""
    if value is None:
        return None
    if isinstance(value, str):
        value = _instant(value)
    if isinstance(value, date) and not isinstance(value, datetime):
        value = datetime.combine(value, time.max, tzinfo=UTC)
    if not isinstance(value, datetime):
        raise BadTerms(NO_DAY)
    return value.astimezone(UTC) if value.tzinfo else value.replace(tzinfo=UTC)


def _instant(text: str) -> date:
    for read in (date.fromisoformat, datetime.fromisoformat):
        try:
            return read(text)
        except ValueError:
            continue
    raise BadTerms(NO_DAY)
