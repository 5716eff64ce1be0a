"""The formats of exports, one module of `formats` each: REST, its description and pages ask."""

from collections.abc import Mapping
from functools import cache

from apps.diagnosis.registry import collect
from apps.incidents.exports import formats
from apps.incidents.exports.export_format import ExportFormat


@cache
def all_formats() -> Mapping[str, ExportFormat]:
    """Return the formats by name, in the order in which a person is offered them."""
    found = collect(package=formats, kind=ExportFormat)
    return {each.name: each for each in sorted(found, key=lambda one: (one.order, one.name))}
