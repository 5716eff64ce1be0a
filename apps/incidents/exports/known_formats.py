"""The formats of exports, one module of `formats` each: REST, its description and pages ask."""

from collections.abc import Mapping
from functools import cache

from apps.diagnosis.registry import collect
from apps.incidents.exports import formats as formats_folder
from apps.incidents.exports.export_format import ExportFormat


@cache
def formats() -> Mapping[str, ExportFormat]:
    """Return the formats by name, in the order in which a person is offered them."""
    found = collect(package=formats_folder, kind=ExportFormat)
    return {each.name: each for each in sorted(found, key=lambda one: (one.order, one.name))}
