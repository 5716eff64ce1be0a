"""Whether this machine has a font with the letters of a language: without one a PDF shows boxes."""

import ctypes
import ctypes.util
from functools import cache
from typing import Final

LIBRARY: Final = "libfontconfig.so.1"
PACKAGES: Final = {"ko": "fonts-noto-cjk"}  # of Debian; English is in every font


class _FontSet(ctypes.Structure):
    """What fontconfig answers with; only how many there are is asked."""

    _fields_ = (("count", ctypes.c_int), ("size", ctypes.c_int), ("fonts", ctypes.c_void_p))


def letters_lack(language: str) -> str:
    """Return what a PDF in a language needs and is missing here, as a sentence; empty: nothing."""
    if language not in PACKAGES or _has_font(language):
        return ""
    return (
        "A PDF in this language needs a font with its letters, which this machine lacks: the "
        f"operator of the portal installs one (Debian: `apt-get install {PACKAGES[language]}`). "
        "HTML prints the same page."
    )


@cache
def _has_font(language: str) -> bool:
    """Ask fontconfig; where it can't be asked nobody makes a PDF either."""
    try:
        library = ctypes.CDLL(ctypes.util.find_library("fontconfig") or LIBRARY)
    except OSError:
        return False
    library.FcNameParse.restype = library.FcObjectSetCreate.restype = ctypes.c_void_p
    library.FcFontList.restype = ctypes.POINTER(_FontSet)
    library.FcFontList.argtypes = [ctypes.c_void_p] * 3
    wanted = library.FcNameParse(f":lang={language}".encode())
    found = library.FcFontList(None, wanted, library.FcObjectSetCreate())
    return bool(found) and found.contents.count > 0
