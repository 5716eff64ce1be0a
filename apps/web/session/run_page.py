"""What the page of a session shows of one attempt's steps, saves and loads."""

from dataclasses import dataclass

from apps.web.lanes.scale import AxisTick


@dataclass(frozen=True, slots=True, kw_only=True)
class StripBand:
    """A save, a load, or a time without steps. Positions for the drawing."""

    kind: str  # save load silent
    x: float
    width: float
    label: str  # only where there is room
    hint: str

    @property
    def middle(self) -> float:
        """Return where its label stands."""
        return round(self.x + self.width / 2, 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class StripChange:
    """Where steps became slower or quicker."""

    x: float
    label: str
    label_x: float
    anchor: str  # start end
    is_slower: bool
    hint: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StripStop:
    """Where the attempt's incident stands."""

    x: float
    label: str
    anchor: str
    incident: str
    layer: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Strip:
    """Step times over the time of an attempt."""

    lines: tuple[str, ...]  # points of the medians, one polyline a stretch of steps
    ranges: tuple[str, ...]  # polygons from the quickest to the slowest
    bands: tuple[StripBand, ...]
    changes: tuple[StripChange, ...]
    levels: tuple[tuple[float, str], ...]  # y and text of the axis
    ticks: tuple[AxisTick, ...]
    stop: StripStop | None
    hint: str  # all of it in words


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeRow:
    """One change of the step time, as a row."""

    at: str
    step: str
    before: str
    after: str
    change: str
    is_slower: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckpointRow:
    """One save or load, as a row."""

    kind: str
    at: str
    step: str
    length: str
    instant: str = ""  # where its way to the server is shown


@dataclass(frozen=True, slots=True, kw_only=True)
class RunPanel:
    """One attempt's steps, saves and loads, as its own logs tell them."""

    attempt: int
    attempts: tuple[int, ...]  # those to choose from
    caption: str
    figures: tuple[tuple[str, str], ...]
    strip: Strip | None
    changes: tuple[ChangeRow, ...]
    checkpoints: tuple[CheckpointRow, ...]
    checkpoint_count: int
    note: str  # what the logs don't tell
    cluster: str = ""  # whose storage path shows its saves and loads; empty: of an upload
