"""Exclusions, nodes that fail again, and the history of one, as they are sent."""

from typing import Any

from rest_framework import serializers

from apps.api.v1.serializers.fleet.changes import ClusterChangeSerializer
from apps.api.v1.serializers.reliability.figures import CaseShareSerializer
from apps.fleet.exclusions.exclusion_values import ExclusionView
from apps.fleet.values import NodeRun
from apps.reliability.offenders.health_checks import CheckCalibration
from apps.reliability.offenders.values import ClusterOffenders, HostTotals, NodeCost, NodeHistory
from apps.reliability.period.scopes import Absence
from apps.training.offenders.check_table import CheckRow
from apps.training.offenders.exclusions import Concentration
from apps.training.offenders.hazard import Hazard
from apps.training.offenders.lemons import LEMON, LemonScore, SignalShare


class ExclusionSerializer(serializers.Serializer[ExclusionView]):
    """When a node was left out.

    With `hidden`, who did it, why and for which session is hidden by policy, and empty here.
    `claimed` is a tenant's word for a job of its own. `ends_at` null: nobody told of an end.
    """

    host = serializers.CharField()
    kind = serializers.CharField()
    starts_at = serializers.DateTimeField()
    ends_at = serializers.DateTimeField(allow_null=True)
    claimed = serializers.BooleanField(source="is_claimed")
    hidden = serializers.BooleanField(source="is_brief")
    told_by = serializers.CharField(source="teller.slug", default=None, allow_null=True)
    by = serializers.CharField()
    reason = serializers.CharField()
    cause = serializers.CharField()
    incident = serializers.CharField()
    session = serializers.CharField(source="session_id")
    job = serializers.CharField(source="session")


class SignalSerializer(serializers.Serializer[SignalShare]):
    """What one signal adds to a score, beside what is usual for the nodes."""

    signal = serializers.CharField()
    value = serializers.FloatField(allow_null=True, help_text="Null: it can't be counted.")
    usual = serializers.FloatField(allow_null=True)
    score = serializers.FloatField()


class LemonSerializer(serializers.Serializer[LemonScore]):
    """A node's lemon score over 28 days."""

    node = serializers.CharField()
    score = serializers.FloatField()
    lemon = serializers.BooleanField(source="is_lemon", help_text=f"From {LEMON:.0f} on.")
    signals = SignalSerializer(many=True)


class TopNodeSerializer(serializers.Serializer[Any]):
    """One of the nodes with most."""

    node = serializers.SerializerMethodField()
    count = serializers.SerializerMethodField()

    def get_node(self, pair: tuple[str, int]) -> str:
        """Return its name."""
        return pair[0]

    def get_count(self, pair: tuple[str, int]) -> int:
        """Return how many it has."""
        return pair[1]


class ConcentrationSerializer(serializers.Serializer[Concentration]):
    """How unevenly events lie on nodes. `cause` null: of any.

    Intervals hold 95 %. `alike_interval` is what equal nodes would show with as many; `lorenz` are
    points (share of nodes, share of events), the least first.
    """

    cause = serializers.CharField(allow_null=True)
    count = serializers.IntegerField(source="exclusions")
    nodes = serializers.IntegerField()
    top = serializers.IntegerField()
    top_nodes = TopNodeSerializer(many=True)
    top_share = serializers.FloatField()
    top_interval = serializers.ListField(child=serializers.FloatField())
    even_share = serializers.FloatField()
    alike_interval = serializers.ListField(child=serializers.FloatField())
    uneven = serializers.BooleanField(source="is_uneven")
    gini = serializers.FloatField()
    gini_interval = serializers.ListField(child=serializers.FloatField())
    lorenz = serializers.ListField(child=serializers.ListField(child=serializers.FloatField()))


class HazardSerializer(serializers.Serializer[Hazard]):
    """How soon a node's next incident follows the one of an index; 0: since it is watched."""

    index = serializers.IntegerField()
    nodes = serializers.IntegerField()
    next_incidents = serializers.IntegerField(source="next_incidents.count")
    node_days = serializers.FloatField(source="next_incidents.days")
    mean_days = serializers.FloatField(allow_null=True)
    mean_days_interval = serializers.ListField(child=serializers.FloatField(allow_null=True))


class HostTotalsSerializer(serializers.Serializer[HostTotals]):
    """What is counted of one node."""

    node = serializers.CharField(source="host")
    incidents = serializers.IntegerField()
    taken_out = serializers.IntegerField()
    left_out_by_jobs = serializers.IntegerField()
    out = serializers.BooleanField(source="is_out", help_text="Left out now.")


class CheckSerializer(serializers.Serializer[CheckRow]):
    """How often one check failed. `within` null: too few sessions to say."""

    check = serializers.CharField(help_text="The cause it speaks for; of none, its layer.")
    high = serializers.BooleanField(source="is_high", help_text="It was a warning, not a signal.")
    in_successful = CaseShareSerializer()
    in_failed = CaseShareSerializer()
    within = serializers.BooleanField(source="is_within", allow_null=True)


class HealthChecksSerializer(serializers.Serializer[CheckCalibration]):
    """How often checks of the reader's metrics fail on nodes of sessions that finished.

    Counted are attempts that began after `measured_since`, and finished or failed. Null: the reader
    has no metrics of the cluster, so nothing is known.
    """

    measured_since = serializers.DateTimeField(allow_null=True)
    any_high = CaseShareSerializer(source="table.any_high")
    within = serializers.BooleanField(source="table.is_within", allow_null=True)
    checks = CheckSerializer(source="table.rows", many=True)


class OffendersSerializer(serializers.Serializer[ClusterOffenders]):
    """Which nodes of a cluster fail again.

    With `whole` false the reader does not run the cluster, and this is what it may see. Of
    `hidden_incidents` it is hidden by policy whom they blame. `xids_known` false: no kernel log of
    the reader's tells of any, so that signal of the scores is not known. `sizes_known` false: it
    reads of no job on how many nodes it ran, so signals of jobs on one node or several are not.
    """

    cluster = serializers.CharField(source="cluster.slug")
    since = serializers.DateTimeField()
    until = serializers.DateTimeField()
    whole = serializers.BooleanField(source="reads_all")
    nodes = serializers.IntegerField(source="node_count")
    hidden_incidents = serializers.IntegerField(source="hidden_count")
    cut = serializers.BooleanField(source="is_cut")
    xids_known = serializers.BooleanField(source="has_xids")
    sizes_known = serializers.BooleanField(source="has_sizes")
    exclusions = ConcentrationSerializer(many=True)
    incidents = ConcentrationSerializer(many=True)
    hazards = HazardSerializer(many=True)
    lemons_since = serializers.DateTimeField()
    lemons = LemonSerializer(many=True)
    hosts = HostTotalsSerializer(many=True)
    health_checks = HealthChecksSerializer()


class NodeCostSerializer(serializers.Serializer[NodeCost]):
    """What incidents that blame a node cost, as `reliability/` counts it for the same days.

    Since the last checkpoint that was kept, until the next step, and what slow steps took too long;
    of several blamed nodes each has an equal part. Of `unknown` incidents a part is not known.
    """

    gpu_hours = serializers.FloatField(source="gpu_hours.value", allow_null=True)
    absence = serializers.ChoiceField(
        source="gpu_hours.absence",
        choices=[each.value for each in Absence],
        allow_null=True,
        help_text="Why there are none.",
    )
    at_least = serializers.BooleanField(source="gpu_hours.is_at_least")
    incidents = serializers.IntegerField(source="counted")
    unknown = serializers.IntegerField()


class NodeRunSerializer(serializers.Serializer[NodeRun]):
    """An attempt that ran on the node."""

    session = serializers.CharField(source="session.public_id")
    attempt = serializers.IntegerField(source="number")
    state = serializers.CharField()
    started_at = serializers.DateTimeField(allow_null=True)
    ended_at = serializers.DateTimeField(allow_null=True)
    hosts = serializers.IntegerField(source="host_count")


class NodeHistorySerializer(serializers.Serializer[NodeHistory]):
    """What the reader may know of a node: incidents that blame it, exclusions, sessions, cost."""

    cluster = serializers.CharField(source="cluster.slug")
    name = serializers.CharField(source="host")
    since = serializers.DateTimeField()
    until = serializers.DateTimeField()
    whole = serializers.BooleanField(source="reads_all")
    out = serializers.BooleanField(source="is_out")
    incidents_28_days = serializers.IntegerField(source="recent_count")
    incidents = serializers.SerializerMethodField()
    exclusions = ExclusionSerializer(many=True)
    changes = ClusterChangeSerializer(many=True)
    warnings = serializers.SerializerMethodField()
    sessions = NodeRunSerializer(many=True, source="runs")
    cost = NodeCostSerializer()
    lemon = LemonSerializer(allow_null=True)
    nodes = serializers.IntegerField(source="node_count")
    xids_known = serializers.BooleanField(source="has_xids")
    sizes_known = serializers.BooleanField(source="has_sizes")

    def get_incidents(self, history: NodeHistory) -> list[str]:
        """Return their ids, the newest first."""
        return [each.public_id for each in history.blamed]

    def get_warnings(self, history: NodeHistory) -> list[str]:
        """Return the ids of warnings and signals of the reader's metrics, the newest first."""
        return [each.public_id for each in history.warnings]
