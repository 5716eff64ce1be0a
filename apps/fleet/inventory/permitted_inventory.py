"""What of an inventory its sender's part in the cluster lets it say."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace

from apps.fleet.authority.agreed_terms import authority_of
from apps.fleet.authority.rules import SenderStanding, Subject, refusal, subject_of_device
from apps.fleet.inventory.inventory_report import InventoryReport, NodeReport
from apps.fleet.models import (
    Cluster,
    ParticipationRole,
)
from apps.tenancy.models import Organization


@dataclass(frozen=True, slots=True, kw_only=True)
class Permitted:
    """What of a report its sender's part may say, and how many entries are left out by subject."""

    report: InventoryReport
    parts: tuple[ParticipationRole, ...]
    refused: Mapping[Subject, int]

    def why(self, subject: Subject) -> str:
        """Return why entries are left out, from the sender's part alone."""
        return refusal(parts=self.parts, subject=subject)


def permitted(
    *, cluster: Cluster, organization: Organization, report: InventoryReport
) -> Permitted:
    """Return what a party's part lets it say of an inventory. Needs its scope.

    A vendor's word about its own devices comes with the names of their hosts, and nothing else.
    """
    authority = authority_of(cluster_id=cluster.pk)

    def may(subject: Subject) -> bool:
        said = authority.standing(organization_id=organization.pk, subject=subject)
        return said is not SenderStanding.REFUSED

    refused: Counter[Subject] = Counter()
    nodes = []
    for node in report.nodes:
        kinds = [subject_of_device(kind=each.kind) for each in node.devices]
        devices = tuple(each for each, kind in zip(node.devices, kinds, strict=True) if may(kind))
        is_whole = may(Subject.NODES)
        refused.update(kind for kind in kinds if not may(kind))
        if not is_whole and (node.aliases or node.zone or not node.devices):
            refused[Subject.NODES] += 1
        if is_whole or devices:
            kept = node if is_whole else NodeReport(name=node.name)
            nodes.append(replace(kept, devices=devices))
    for subject, entries in (
        (Subject.LINKS, report.links),
        (Subject.MOUNTS, report.mounts),
        (Subject.PROJECTS, report.projects),
    ):
        refused[subject] += 0 if may(subject) else len(entries)
    return Permitted(
        parts=authority.parts(organization_id=organization.pk),
        refused={subject: count for subject, count in sorted(refused.items()) if count},
        report=replace(
            report,
            nodes=tuple(nodes),
            links=report.links if may(Subject.LINKS) else (),
            mounts=report.mounts if may(Subject.MOUNTS) else (),
            projects=report.projects if may(Subject.PROJECTS) else {},
        ),
    )
