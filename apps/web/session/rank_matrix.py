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


def matrix(*, attempt: AttemptView, headers: Sequence[IncidentHeader]) -> RankMatrix | None:
    """Return nodes across and GPUs down; a cell without a reported rank is hatched, not empty.

    `headers` are the incidents of this attempt. What one of them blames has a column and a cell,
    though nothing else is reported of it any more.
    """
    if not attempt.ranks or not attempt.hosts:
        return None
    placed = {
        (where.get("host"), where.get("gpu")): int(rank) for rank, where in attempt.ranks.items()
    }
    blamed = {
        _seat(device, attempt) for header in headers for device in (header.culprits or ())
    } - {("", None)}
    seats = {*placed, *blamed}
    height = max(GPUS, 1 + max((gpu for _, gpu in seats if gpu is not None), default=0))
    height = min(height, MOST_ROWS)
    stopped = {rank for header in headers for rank in (header.first_stopper or {}).get("ranks", ())}
    wanted = {host for host, _ in blamed if host}
    hosts = _drawn([*attempt.hosts, *wanted], wanted=wanted)
    step = min((MATRIX_RIGHT - MATRIX_LEFT) / len(hosts), WIDEST_CELL)
    cells = tuple(
        RankCell(
            x=round(MATRIX_LEFT + column * step, 1),
            y=MATRIX_TOP + row * WIDEST_CELL,
            state=_cell_state(
                seat=(host, row), rank=placed.get((host, row)), stopped=stopped, blamed=blamed
            ),
            hint=_cell_hint(
                host=host,
                gpu=row,
                rank=placed.get((host, row)),
                is_blamed=_is_blamed((host, row), blamed),
            ),
        )
        for column, host in enumerate(hosts)
        for row in range(height)
    )
    return RankMatrix(
        cells=cells,
        columns=tuple(
            (round(MATRIX_LEFT + column * step, 1), host[-3:])
            for column, host in enumerate(hosts)
            if step >= WIDEST_CELL or column % 5 == 0 or host in wanted
        ),
        rows=tuple((MATRIX_TOP + row * WIDEST_CELL + 14, f"GPU {row}") for row in range(height)),
        height=MATRIX_TOP + height * WIDEST_CELL + 8,
        cell=round(step - 3, 1),
        layer=_layer(headers),
        note=_matrix_note(attempt=attempt, drawn=len(hosts)),
    )


def _drawn(hosts: Sequence[str], *, wanted: set[str]) -> list[str]:
    """Return the nodes that get a column, by name: those that are blamed, then the first ones."""
    chosen = sorted(set(hosts), key=lambda host: (host not in wanted, host))[:MOST_COLUMNS]
    return sorted(chosen)


def _matrix_note(*, attempt: AttemptView, drawn: int) -> str:
    note = _("attempt %(n)s, %(size)s") % {"n": attempt.number, "size": size_text(attempt)}
    if drawn >= len(set(attempt.hosts)):
        return note
    count = {"n": drawn, "all": f"{len(set(attempt.hosts)):,}"}
    return f"{note}; " + _("%(n)s of %(all)s nodes are drawn") % count


def _layer(headers: Sequence[IncidentHeader]) -> str:
    """Return the layer of the incident that blames something, else of the latest."""
    blaming = [each for each in headers if each.culprits]
    return next((each.incident.layer for each in (*blaming, *reversed(headers))), "unknown")


def _seat(device: Mapping[str, Any], attempt: AttemptView) -> tuple[str, int | None]:
    """Return where a device sits; a GPU without a number sits where its rank was reported."""
    host, gpu = str(device.get("host") or ""), device.get("gpu") or {}
    if not gpu or gpu.get("index") is not None:
        return (host, gpu.get("index"))
    named = {gpu[key] for key in ("uuid", "pci") if gpu.get(key)}
    found = (
        where.get("gpu")
        for where in attempt.ranks.values()
        if where.get("host") == host and named & {where.get("uuid"), where.get("pci")}
    )
    return (host, next(found, None))


def _is_blamed(seat: tuple[str, int], blamed: set[tuple[str, int | None]]) -> bool:
    return seat in blamed or (seat[0], None) in blamed


def _cell_state(
    *,
    seat: tuple[str, int],
    rank: int | None,
    stopped: set[int],
    blamed: set[tuple[str, int | None]],
) -> str:
    if _is_blamed(seat, blamed):
        return "lost" if rank is None and seat in blamed else "suspect"
    if rank is None:
        return "unplaced"
    return "first" if rank in stopped else "ran"


def _cell_hint(*, host: str, gpu: int, rank: int | None, is_blamed: bool) -> str:
    said = _("rank %(n)s") % {"n": rank} if rank is not None else _("no rank reported")
    hint = f"{host} GPU {gpu}, {said}"
    return f"{hint}, {_('blamed')}" if is_blamed else hint
