"""What pushes of metrics have in common: whose they are, of which cluster, from which sender."""

from typing import Final

from django.http import HttpRequest

from apps.api.receivers.requests.authentication import Push, cluster_of
from apps.fleet.models import Cluster
from apps.telemetry.formats.columns import Columns, labels_of
from apps.telemetry.formats.lines.complaints import NothingUsable
from apps.telemetry.samples.accept import DecodedBody, accept_from
from apps.tenancy.scope import organization_scope

CLUSTER_MARK: Final = b"\x0a\x07cluster\x12"  # the label's name as it stands in a key
CLUSTERS_LIMIT: Final = 16  # of one body


def keep(*, request: HttpRequest, push: Push, protocol: str, raw: bytes, columns: Columns) -> None:
    """Make a body durable, under the source of each cluster that its series are of.

    The cluster is the parameter `cluster`, else the label of the series, else the only one the
    token may write to. Raises what `errors.REFUSALS` answers.
    """
    if columns.is_empty:
        return
    named = request.GET.get("cluster", "")
    labels = {""} if named else _cluster_labels(columns)
    by_label: dict[str, Cluster | None] = {
        label: cluster_of(push=push, named=named or label) for label in sorted(labels)
    }
    with organization_scope(push.organization.pk):
        for label, cluster in by_label.items():
            if cluster is None:
                raise NothingUsable("the token is bound to no cluster; make one that is")
            body = DecodedBody(
                protocol=protocol,
                raw=raw,
                sample_count=len(columns.series),
                key_bytes=columns.key_bytes,
                only_cluster=label if len(by_label) > 1 else "",
            )
            accept_from(
                organization=push.organization,
                cluster=cluster,
                key=request.GET.get("source", ""),
                body=body,
                now=push.at,
            )


def _cluster_labels(columns: Columns) -> set[str]:
    """Return what the series say their cluster is; empty for those that don't."""
    said = {
        labels_of(key).get("cluster", "") if CLUSTER_MARK in key else "" for key in columns.keys
    }
    if len(said) > CLUSTERS_LIMIT:
        raise NothingUsable(f"the series of one body are of more than {CLUSTERS_LIMIT} clusters")
    return said or {""}
