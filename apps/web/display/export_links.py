"""The menu of exports: one entry a format."""

from dataclasses import dataclass

from django.urls import reverse

from apps.incidents.exports.known_formats import all_formats


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportLink:
    """One entry of the menu."""

    label: str
    address: str
    is_lacking: bool = False  # what makes it is not installed here


def export_links(*, organization: str, public_id: str = "") -> tuple[ExportLink, ...]:
    """Return where the list of incidents can be had as a file, or one of them."""
    view, inside = "incidents_export", [organization]
    if public_id:
        view, inside = "incident_export", [organization, public_id]
    return tuple(
        ExportLink(
            label=form.label,
            address=reverse(f"v1:{view}_{form.name}", args=inside),
            is_lacking=bool(form.lacks()),
        )
        for form in all_formats().values()
    )
