"""Whose rows of an inventory count: of those who assert it, and of who reads, for itself."""

from django.db.models import Q

from apps.fleet.authority.agreed_terms import Authority
from apps.fleet.authority.rules import Subject


def rows_of(
    authority: Authority,
    *subjects: Subject,
    began: str = "",
    reader_id: int | None = None,
) -> Q:
    """Return what keeps the rows of who asserts one of these subjects, and of the reader.

    Of who asserted it and left, those that began (the column of that name) before it left.
    """
    wanted = Q(organization=reader_id) if reader_id is not None else Q(pk__in=[])
    for organization_id, until in sorted(authority.asserting(*subjects).items()):
        own = Q(organization=organization_id)
        if until and began:
            wanted |= own & Q(**{f"{began}__lt": until})
        elif until is None or not authority.parts(organization_id=organization_id):
            wanted |= own  # without a time, who still writes in another part is not believed
    return wanted
