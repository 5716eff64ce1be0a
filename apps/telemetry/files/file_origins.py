"""What the path of a file, or its owner in `faultline.json`, says of the lines in it."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Any

from apps.diagnosis.input_values import MOST_RANKS
from apps.diagnosis.model import Origin, Stream
from apps.diagnosis.spelling import meant, one_of, shown
from apps.telemetry.files.named_files import (
    NOT_TEXT,
    STREAM_FOLDERS,
    host_of,
    is_named,
    rank_of,
)
from apps.telemetry.files.unusable_input import UnusableInput, check_zone

OVERRIDES = "faultline.json"
MOST_HOST_LETTERS = 253
OVERRIDE = ("path", "stream", "host", "rank", "tz")


def describe(
    *,
    inside: str,
    stream: Stream | None,
    zone: str | None,
    overrides: Mapping[str, Mapping[str, Any]],
) -> Origin | None:
    """Return what a path inside a folder or tar says about its file, None for no log text."""
    said = overrides.get(inside, {})
    parts = PurePosixPath(inside).parts
    at = next(
        (i for i, part in enumerate(parts) if is_named(part)),
        None,
    )
    if at is not None and parts[at].split(".")[0] in NOT_TEXT and not said:
        return None
    origin = Origin(source=inside, stream=stream, zone=zone)
    if at is not None:
        origin = _by_convention(
            origin, STREAM_FOLDERS.get(parts[at].split(".")[0]), parts[at + 1 :]
        )
        if parts[at] == "flight-recorder" and len(parts) == at + 3:  # <host>/<dump>
            origin = replace(origin, host=parts[at + 1])
    elif stream is Stream.KERNEL:  # of a session's log, what its lines print decides
        origin = replace(origin, host=host_of(parts[-1]))
    return replace(
        origin,
        stream=Stream(said["stream"]) if said.get("stream") in STREAM_FOLDERS else origin.stream,
        host=said.get("host", origin.host),
        rank=said.get("rank", origin.rank),
        zone=said.get("tz", origin.zone),
    )


def _by_convention(origin: Origin, stream: Stream | None, rest: Sequence[str]) -> Origin:
    """Read `<stream>/<host>.log` and `<stream>/<host>/rank<N>.log`."""
    origin = replace(origin, stream=stream or origin.stream)
    if not rest or stream not in {Stream.SESSION, Stream.KERNEL, Stream.BMC}:
        return origin
    if len(rest) == 1:
        return replace(origin, host=host_of(rest[0]), rank=rank_of(rest[0]))
    return replace(origin, host=rest[0], rank=rank_of(rest[-1]))


def read_overrides(path: Path) -> dict[str, Mapping[str, Any]]:
    """Return path → what its owner says of it, nothing where there is no such file."""
    if not path.is_file():
        return {}
    return parse_overrides(raw=path.read_bytes(), where=str(path))


def parse_overrides(*, raw: bytes, where: str) -> dict[str, Mapping[str, Any]]:
    """Return path → what its owner says of it; raise UnusableInput for what would say nothing."""
    try:
        entries = {entry["path"]: entry for entry in json.loads(raw)}
        for path, entry in entries.items():
            _check_override(entry, f"{where}: {path}")
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        if isinstance(error, UnusableInput):
            raise
        raise UnusableInput(f'{where}: must be a list of objects with "path"') from error
    return entries


def _check_override(entry: Mapping[str, Any], where: str) -> None:
    """Refuse what would say nothing: a key, a stream or a zone that is not known."""
    for name in entry:
        if name not in OVERRIDE:
            hint = one_of(known=OVERRIDE) + meant(word=name, known=OVERRIDE)
            raise UnusableInput(f"{where}: there is no key `{shown(word=name)}` here; {hint}")
    host, rank = entry.get("host"), entry.get("rank")
    is_name = isinstance(host, str) and host.isprintable() and len(host) <= MOST_HOST_LETTERS
    if host is not None and not is_name:
        raise UnusableInput(f"{where}: `host` is no name of a host")
    if rank is not None and not (type(rank) is int and 0 <= rank <= MOST_RANKS):
        raise UnusableInput(f"{where}: `rank` must be a whole number from 0 to {MOST_RANKS}")
    stream, zone = str(entry.get("stream") or ""), str(entry.get("tz") or "")
    if stream and stream not in STREAM_FOLDERS:
        hint = one_of(known=STREAM_FOLDERS) + meant(word=stream, known=STREAM_FOLDERS)
        raise UnusableInput(f"{where}: there is no stream `{shown(word=stream)}`; {hint}")
    check_zone(zone=zone, where=f"{where}: tz")
