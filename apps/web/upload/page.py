"""The page to drop files on."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class FileResult:
    """What became of one dropped file set."""

    kept: str = ""  # a sentence
    duplicates: str = ""
    rejected: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()  # files of which nothing is kept, and why
    batch: str = ""
    problem: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class UploadProgress:
    """Where reading of a batch stands, and where it led."""

    batch: str
    state: str  # reading found ended quiet failed
    text: str
    kept: str  # a sentence
    incident: str = ""
    session: str = ""
    session_name: str = ""
    reason: str = ""  # why they could not be read
    is_done: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class UploadChoice:
    """An option of a field: what is sent, and what is read."""

    value: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class UploadPage:
    """The page to drop files on."""

    clusters: tuple[UploadChoice, ...]
    streams: tuple[UploadChoice, ...]
    limit: str
    most_characters: int  # of pasted lines
    said: Mapping[str, str]  # what stands in the fields
    result: FileResult | None = None
