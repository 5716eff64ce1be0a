"""Hugging Face: `[INFO|trainer.py:3410] 2026-11-20 03:02:10,123 >> text`."""

import re

from apps.diagnosis.logs.dialect import Dialect, Peel
from apps.diagnosis.logs.timestamps import ISO, iso
from apps.diagnosis.model import Stream

PREFIX = re.compile(
    r"\[[A-Z]{4,8}\|[\w.-]{1,120}:\d{1,6}\] " + ISO + r" >> ",
    re.ASCII,
)


def _peel(text: str) -> Peel | None:
    match = PREFIX.match(text)
    if match is None:
        return None
    return Peel(rest=text[match.end() :], stamp=iso(match), stream=Stream.SESSION)


HUGGING_FACE = Dialect(name="hugging_face", starts="[", peel=_peel, order=40)
