"""The log lines that explanations rest on: each is read by the organization that sent it, alone."""

from collections.abc import Mapping, Sequence
from typing import Final

from apps.incidents.projection.values import HypothesisView, LineContext
from apps.telemetry.logs.raw_lines import CitedLine, cited_lines, lines_around
from apps.telemetry.retention.citation_keys import line_place
from apps.tenancy.access import Actor, NotFound

NEIGHBOURS: Final = 20  # on each side; what is kept of a log that went has fewer


def lines_behind(*, actor: Actor, hypotheses: Sequence[HypothesisView]) -> Mapping[str, CitedLine]:
    """Return reference → line of the evidence, as far as the actor's organization sent it.

    Needs its scope.
    """
    items = [item for view in hypotheses for item in (*view.supporting, *view.opposing)]
    return cited_lines(actor=actor, references={item.reference for item in items})


def line_context(
    *, actor: Actor, hypotheses: Sequence[HypothesisView], stream: str, host: str, number: int
) -> LineContext:
    """Return a line of the actor's own logs that an explanation rests on, with its neighbours.

    Raises NotFound for one that none rests on, or that somebody else sent. Needs the scope.
    """
    cited = [
        (place, line)
        for reference, line in lines_behind(actor=actor, hypotheses=hypotheses).items()
        if (place := line_place(reference=reference)) and (line.stream, line.host) == (stream, host)
    ]
    stream_id = next((place[0] for place, line in cited if stream and line.number == number), None)
    if stream_id is None:
        raise NotFound
    return LineContext(
        stream=stream,
        host=host,
        number=number,
        lines=lines_around(actor=actor, stream_id=stream_id, number=number, margin=NEIGHBOURS),
        cited=frozenset(line.number for place, line in cited if place[0] == stream_id),
        stream_id=stream_id,
    )
