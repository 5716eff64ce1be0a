"""Every periodic task, one line each: how often (seconds), and the task's name."""

PERIODS: dict[str, float] = {
    "telemetry.sweep": 5,
    "telemetry.pull_due": 5,
    "telemetry.forward_due": 5,
    "telemetry.roll_windows": 60,
    "telemetry.work_out_checkpoints": 30,
    "incidents.sweep": 5,
    "tenancy.count_refusals": 60,
    "tenancy.retire_page_changes": 300,
    "sharing.seal_ledgers": 60,
    "notifications.sweep": 10,
    "notifications.listen": 60,
    "notifications.retire": 3600,
    "reliability.sweep": 60,
    "reliability.issue_reports": 600,
    "reliability.read_collectives": 30,
    "sharing.retire": 600,
    "telemetry.measure": 120,
    "telemetry.retire": 3600,
}
# A run that nobody took before the next is due is dropped: the next does its work.
SCHEDULE = {
    name: {"task": name, "schedule": seconds, "options": {"expires": seconds}}
    for name, seconds in PERIODS.items()
}
