"""A page as PDF, by WeasyPrint where it is installed: it is an extra, and needs Pango beside it."""

import ctypes
import ctypes.util
from collections.abc import Mapping
from functools import cache
from importlib.util import find_spec
from typing import Any, Final, NoReturn

from apps.incidents.exports.export_format import FormatLacking

PACKAGE: Final = (
    "PDF needs WeasyPrint, which is not installed here: the operator of the portal installs it "
    "with `make pdf` or `pip install faultline[pdf]`. HTML prints the same page."
)
LIBRARY: Final = (
    "PDF needs the library Pango, which this machine lacks: the operator of the portal installs "
    "it (Debian: `apt-get install libpango-1.0-0 libpangoft2-1.0-0`). HTML prints the same page."
)
PANGO: Final = {"pango-1.0": "libpango-1.0.so.0", "pangoft2-1.0": "libpangoft2-1.0.so.0"}


@cache
def pdf_lacks() -> str:
    """Return what PDF needs and is missing here, as a sentence; empty where nothing is."""
    if find_spec("weasyprint") is None:
        return PACKAGE
    return "" if all(map(_is_there, PANGO)) else LIBRARY


def as_pdf(*, html: str) -> bytes:
    """Return the page as PDF. Raises FormatLacking.

    Nothing that the page names is loaded, be it a file of this machine or an address.
    """
    if lacking := pdf_lacks():
        raise FormatLacking(lacking)
    try:
        from weasyprint import HTML  # noqa: PLC0415  large, and mostly not there
    except OSError as error:
        raise FormatLacking(LIBRARY) from error
    made: bytes = HTML(string=html, url_fetcher=_refuse).write_pdf()
    return made


def _is_there(name: str) -> bool:
    try:
        ctypes.CDLL(ctypes.util.find_library(name) or PANGO[name])
    except OSError:
        return False
    return True


def _refuse(url: str, *_args: Any, **_more: Mapping[str, Any]) -> NoReturn:
    raise ValueError(f"nothing is loaded for a page: {url[:80]}")
