"""What one look at an attempt has to say, each in the incident that it belongs to."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from apps.incidents.correlation.conclusion import Conclusion
from apps.incidents.correlation.incident_rows.incident_writer import IncidentIdentity
from apps.incidents.states import IncidentKind


@dataclass(frozen=True, slots=True, kw_only=True)
class DiagnosisShare:
    """One incident's share of a diagnosis."""

    place: IncidentIdentity
    own_place: (
        IncidentIdentity  # where it belongs if nothing but its tenant's word makes it a shared one
    )
    conclusion: Conclusion


def is_shared(part: DiagnosisShare) -> bool:
    """Say whether other tenants may read it."""
    return part.place.kind == IncidentKind.SHARED


def borne(
    *, parts: Sequence[DiagnosisShare], sure: Sequence[DiagnosisShare]
) -> list[DiagnosisShare]:
    """Return the parts, those of incidents that others read without what is only claimed.

    What is none of a shared part's without the claims stays its tenant's, with them.
    """
    told = [each for each in sure if is_shared(each)]
    found = []
    for part in parts:
        same = [each for each in told if each.place.entity == part.place.entity]
        if not is_shared(part):
            found.append(part)
        elif same:
            found.append(min(same, key=lambda each: each.place.episode != part.place.episode))
        else:
            found.append(replace(part, place=part.own_place))
    return found
