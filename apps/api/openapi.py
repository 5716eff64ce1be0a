"""Write the description of the REST interface, or say how the file differs from the code."""

import os
import sys
from functools import cache
from pathlib import Path
from typing import Any

import django


@cache
def document() -> dict[str, Any]:
    """Return the description of everything that machines may call."""
    from drf_spectacular.generators import SchemaGenerator  # noqa: PLC0415  needs the settings

    generator: Any = SchemaGenerator  # has no types
    schema: dict[str, Any] = generator().get_schema(request=None, public=True)
    return schema


@cache
def as_yaml() -> bytes:
    """Return it as the file has it."""
    from drf_spectacular.renderers import OpenApiYamlRenderer  # noqa: PLC0415  needs the settings

    renderer: Any = OpenApiYamlRenderer()
    text: bytes = renderer.render(document(), renderer_context={})
    return text


def without_former_names(endpoints: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Leave out addresses that answer under their former name beside their own."""
    from apps.api.v1.urls import FORMER  # noqa: PLC0415  its views need the settings

    former = tuple(f"{{organization}}/{name}" for name in FORMER)
    return [each for each in endpoints if not any(name in each[0] for name in former)]


def main(*, path: Path, is_check: bool) -> int:
    """Write the file, or return 1 if it is not what would be written."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "portal.settings")
    django.setup()
    text = as_yaml()
    if not is_check:
        path.write_bytes(text)
        return 0
    if path.exists() and path.read_bytes() == text:
        return 0
    sys.stderr.write(f"{path} is not what the code says: run `make docs` and review the diff\n")
    return 1


if __name__ == "__main__":
    arguments = [each for each in sys.argv[1:] if each != "--check"]
    sys.exit(main(path=Path(arguments[0]), is_check="--check" in sys.argv))
