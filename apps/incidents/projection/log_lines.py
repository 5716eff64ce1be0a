"""The log lines that explanations rest on: each is read by the organization that sent it, alone."""

from collections.abc import Mapping, Sequence

from apps.incidents.projection.values import HypothesisView
from apps.telemetry.logs.raw_lines import CitedLine, cited_lines
from apps.tenancy.access import Actor


def lines_behind(*, actor: Actor, hypotheses: Sequence[HypothesisView]) -> Mapping[str, CitedLine]:
    """Return reference → line of the evidence, as far as the actor's organization sent it.

    Needs its scope.
    """
    items = [item for view in hypotheses for item in (*view.supporting, *view.opposing)]
    return cited_lines(actor=actor, references={item.reference for item in items})
