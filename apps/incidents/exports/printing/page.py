"""A page as one file: style inside, drawings inside, no script, no request to anywhere.

Its policy allows the one style by its digest, so whatever text it holds can neither run nor load.
"""

import base64
import hashlib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from django.template import Context, Engine
from django.utils.safestring import mark_safe

TEMPLATES = Path(__file__).with_name("templates")


def as_page(*, templates: Path, name: str, values: Mapping[str, Any]) -> str:
    """Return the page of the template `name` in the folder `templates`, which extends `base.html`.

    All values are words already: what the settings say of numbers and times is not asked.
    """
    # Whole, as the policy's digest is of every blank inside the element.
    style = mark_safe(f"<style>{_style()}</style>")  # noqa: S308  a file of ours
    frame = {"style": style, "policy": _policy()}
    context = Context({**values, **frame}, use_l10n=False, use_tz=False)
    return _engine(templates).get_template(name).render(context)


@cache
def _engine(templates: Path) -> Engine:
    return Engine(
        dirs=[str(TEMPLATES), str(templates)],
        libraries={"i18n": "django.templatetags.i18n"},
    )


@cache
def _style() -> str:
    return TEMPLATES.joinpath("style.css").read_text(encoding="utf-8").strip()


@cache
def _policy() -> str:
    digest = base64.b64encode(hashlib.sha256(_style().encode()).digest()).decode()
    return f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
