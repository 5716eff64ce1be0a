"""Faults whose day is known, beside a session that printed no time: of which day, nobody says."""

from collections.abc import Sequence

from apps.diagnosis.model import Event, Observation, Role, Stream
from apps.diagnosis.observed import UNTIED, struck_process
from apps.diagnosis.reasoning.rank.pieces import Context, Piece

# As likely of another day, or of another job, as any fault that a log of weeks holds.
WEIGHT = -2.0
UNSAID = "the session's log does not say when it ran"
UNSAID_AT_ALL = "the session's log says neither when it ran nor on which hosts"
OWN = frozenset({Stream.SESSION, None})


def against(*, pieces: Sequence[Piece], context: Context) -> list[Piece]:
    """Return what speaks against a cause of which only logs of others tell, at times that nothing
    in the session's own log can be compared with.
    """
    weighed = [one for one in pieces if one.weight > 0 and not one.is_generic]
    if (
        not context.is_untimed
        or not weighed
        or not all(_is_untied(one, context) for one in weighed)
    ):
        return []
    return [
        Piece(
            observation=Observation(sign=f"finding:{UNTIED}", role=Role.CONTEXT, layer=None),
            weight=WEIGHT,
            text=UNSAID if context.hosts else UNSAID_AT_ALL,
            is_generic=True,
            family=UNTIED,
        )
    ]


def _is_untied(piece: Piece, context: Context) -> bool:
    one = piece.observation
    if one.at is None or any(_stream(event) in OWN for event in one.events):
        return False
    return not any(struck_process(event) in context.processes for event in one.events)


def _stream(event: Event) -> Stream | None:
    return event.line.origin.stream or event.line.stream
