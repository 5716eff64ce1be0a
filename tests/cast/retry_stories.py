"""Attempts of half an hour that follow each other, each with its save or without."""

from datetime import datetime, timedelta

from apps.fleet.models import Attempt
from apps.tenancy.scope import organization_scope
from tests.cast.pushes import Cast
from tests.cast.told_runs import SECOND, START, Line, push_run

HOUR = timedelta(hours=1)
GAP = timedelta(minutes=11)


def lines(begin: datetime, *, saves: int | None = None) -> list[Line]:
    """Return a load of a minute, ten steps, and a save of a step where one is told."""
    told = [
        (begin + timedelta(seconds=30), "loading checkpoint from /a at iteration 100"),
        (begin + timedelta(seconds=90), "successfully loaded checkpoint from /a at iteration 100"),
        *(
            (begin + timedelta(seconds=100 + 6 * step), f"step: {100 + step} loss: 2.1 tps: 7,412")
            for step in range(10)
        ),
    ]
    if saves is not None:
        done = begin + timedelta(seconds=170)
        told.append((done, f"successfully saved checkpoint from iteration {saves} to /a"))
    return [(int(at.timestamp()) * SECOND, text) for at, text in told]


def story(people: Cast, *, saves: tuple[int | None, ...]) -> None:
    """Let attempts of half an hour follow each other, each with its save."""
    for number, saved in enumerate(saves, start=1):
        begin = START + number * (HOUR / 2 + GAP)
        push_run(people, attempt=number, lines=lines(begin, saves=saved))
        with organization_scope(people.tenant.pk):
            Attempt.objects.filter(number=number).update(
                started_at=begin, ended_at=begin + HOUR / 2, state="failed", world_size=64
            )
