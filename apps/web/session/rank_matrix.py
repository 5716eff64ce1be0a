"""A session's ranks on their nodes, drawn as a matrix: one row a node, one column a GPU."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _

from apps.fleet.values import AttemptView
from apps.incidents.projection.header_values import IncidentHeader
from apps.web.session.page import RankCell, RankMatrix
from apps.web.sessions.rows import size_text

MATRIX_LEFT, MATRIX_RIGHT, MATRIX_TOP = 80, 1376, 20
WIDEST_CELL = 22
GPUS = 8
# What a page can draw: a narrower column is a hairline, and cells are what a reader waits for.
MOST_COLUMNS, MOST_ROWS = 400, 32


def matrix(*, attempt: AttemptView, header: IncidentHeader | None) -> RankMatrix | None:
    """Return nodes across and GPUs down; a cell without a reported rank is hatched, not empty."""
    if not attempt.ranks or not attempt.hosts:
        return None
    placed = {
        (where.get("host"), where.get("gpu")): int(rank) for rank, where in attempt.ranks.items()
    }
    height = max(GPUS, 1 + max((gpu for _, gpu in placed if gpu is not None), default=0))
    height = min(height, MOST_ROWS)
    stopped = set((header.first_stopper or {}).get("ranks", ())) if header else set()
    blamed = {_seat(device) for device in (header.culprits or ())} if header else set()
    hosts = _drawn(attempt.hosts, wanted={host for host, _ in blamed})
    step = min((MATRIX_RIGHT - MATRIX_LEFT) / len(hosts), WIDEST_CELL)
    cells = tuple(
        RankCell(
            x=round(MATRIX_LEFT + column * step, 1),
            y=MATRIX_TOP + row * WIDEST_CELL,
            state=_cell_state(
                seat=(host, row), rank=placed.get((host, row)), stopped=stopped, blamed=blamed
            ),
            hint=_cell_hint(host=host, gpu=row, rank=placed.get((host, row))),
        )
        for column, host in enumerate(hosts)
        for row in range(height)
    )
    return RankMatrix(
        cells=cells,
        columns=tuple(
            (round(MATRIX_LEFT + column * step, 1), host[-3:])
            for column, host in enumerate(hosts)
            if column % 5 == 0 or host in {seat[0] for seat in blamed}
        ),
        rows=tuple((MATRIX_TOP + row * WIDEST_CELL + 14, f"GPU {row}") for row in range(height)),
        height=MATRIX_TOP + height * WIDEST_CELL + 8,
        cell=round(step - 3, 1),
        layer=header.incident.layer if header else "unknown",
        note=_matrix_note(attempt=attempt, drawn=len(hosts)),
    )


def _drawn(hosts: Sequence[str], *, wanted: set[str]) -> list[str]:
    """Return the nodes that get a column, by name: those that are blamed, then the first ones."""
    chosen = sorted(set(hosts), key=lambda host: (host not in wanted, host))[:MOST_COLUMNS]
    return sorted(chosen)


def _matrix_note(*, attempt: AttemptView, drawn: int) -> str:
    note = _("attempt %(n)s, %(size)s") % {"n": attempt.number, "size": size_text(attempt)}
    if drawn == len(set(attempt.hosts)):
        return note
    count = {"n": drawn, "all": f"{len(set(attempt.hosts)):,}"}
    return f"{note}; " + _("%(n)s of %(all)s nodes are drawn") % count


def _seat(device: Mapping[str, Any]) -> tuple[str, int | None]:
    gpu = device.get("gpu") or {}
    return (str(device.get("host") or ""), gpu.get("index"))


def _cell_state(
    *,
    seat: tuple[str, int],
    rank: int | None,
    stopped: set[int],
    blamed: set[tuple[str, int | None]],
) -> str:
    if seat in blamed or (seat[0], None) in blamed:
        return "suspect"
    if rank is None:
        return "unplaced"
    return "first" if rank in stopped else "ran"


def _cell_hint(*, host: str, gpu: int, rank: int | None) -> str:
    said = _("rank %(n)s") % {"n": rank} if rank is not None else _("no rank reported")
    return f"{host} GPU {gpu}, {said}"
