"""Values of the page of how right the verdicts were."""

from dataclasses import dataclass

from apps.web.display.layers import LayerMark


@dataclass(frozen=True, slots=True, kw_only=True)
class ShareText:
    """A share in words: 3 of 4, 95 % 30 to 95 %."""

    value: str
    interval: str
    is_small: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerRow:
    """How right the verdicts on one layer were."""

    layer: LayerMark
    by_layer: ShareText
    by_cause: ShareText
    disputed_count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StepRow:
    """What was stated, and how often it was so."""

    range: str
    stated: str
    share: ShareText
    words: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AccuracyPage:
    """How right the verdicts were, as far as the reader may know."""

    overall: ShareText
    judged_count: int
    incident_count: int
    disputed_count: int
    disputed: str  # on what they contradict each other
    layers: tuple[LayerRow, ...]
    steps: tuple[StepRow, ...]
