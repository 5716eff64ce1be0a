"""Templates without their indentation: no reader needs it, and it is a tenth of a page."""

import re
from typing import Final

from django.template import Origin
from django.template.loaders import filesystem

INDENTATION: Final = re.compile(r"\n[ \t]+")
KEPT: Final = "<pre"  # where it is text


class Loader(filesystem.Loader):
    """Reads the templates of pages; those of texts stay as they are."""

    def get_contents(self, origin: Origin) -> str:
        """Return what a template holds."""
        held: str = super().get_contents(origin)
        is_text = not str(origin.name).endswith(".html") or KEPT in held
        return held if is_text else INDENTATION.sub("\n", held)
