"""Lines pasted into the page: taken as a file of them would be."""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO
from typing import Any, Final

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile

from apps.telemetry.formats.file_sets import ChosenFile

NAME: Final = "pasted.log"
# Of UTF-8 in a form of several fields; more is sent as a file, which never lies in memory whole.
MOST_CHARACTERS: Final = 1_000_000


def chosen_files(*, files: Sequence[UploadedFile[Any]], lines: str) -> list[ChosenFile]:
    """Return what a person sends: files, and pasted lines as one more; blank ones are none."""
    bodies: list[tuple[str, Any]] = [(file.name or "", file) for file in files]
    if lines.strip():
        # A form's lines end as those of the network do; a file's would not.
        text = lines.replace("\r\n", "\n").rstrip("\n") + "\n"
        bodies.append((NAME, BytesIO(text.encode("utf-8", errors="replace"))))
    return [
        ChosenFile(
            name=name,
            body=body,
            most_bytes=settings.PORTAL_MAX_BODY_BYTES,
            most_decoded=settings.PORTAL_MAX_DECODED_BYTES,
        )
        for name, body in bodies
    ]
