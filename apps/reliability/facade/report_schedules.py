"""When reports are issued by themselves. All of it needs the actor's scope."""

from apps.reliability.reports.schedules import (
    BadSchedule,
    drop_schedule,
    list_schedules,
    member_ids,
    open_schedule,
    possible_recipients,
    set_schedule,
)

__all__ = [
    "BadSchedule",
    "drop_schedule",
    "list_schedules",
    "member_ids",
    "open_schedule",
    "possible_recipients",
    "set_schedule",
]
