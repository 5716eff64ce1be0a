"""The page of what was changed in a cluster."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from apps.web.display.choices import SegmentLink


@dataclass(frozen=True, slots=True, kw_only=True)
class ToldChangeRow:
    """One change, as far as the reader reads of it."""

    id: str
    when: str
    until: str
    kind: str
    title: str
    versions: str
    layer: str
    where: str
    unknown: str  # which of its names match no node known now, in words; empty: none
    who: str  # the organization
    by: str
    reference: str
    url: str
    is_own: bool
    is_brief: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeForm:
    """The form to write a change down, with what was typed before."""

    key: str  # sent twice it is one change
    kinds: tuple[tuple[str, str], ...]
    layers: tuple[tuple[str, str], ...]
    typed: Mapping[str, str] = field(default_factory=dict)
    problem: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangesPage:
    """What was changed in a cluster, as one party reads it."""

    cluster: str
    cluster_name: str
    rows: tuple[ToldChangeRow, ...]
    more: int  # older ones that are left out
    spans: tuple[SegmentLink, ...]
    form: ChangeForm | None  # None: this person only reads
    example: str  # a line for a pipeline
