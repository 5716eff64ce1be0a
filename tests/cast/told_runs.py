"""A run whose logs tell its steps and saves, pushed by its tenant."""

from datetime import UTC, datetime, timedelta

from tests.cast.pushes import Cast, drain_all, push_loki

SECOND = 1_000_000_000
START = datetime(2026, 11, 22, 12, tzinfo=UTC)
SAVED = (100, 240)
LABELS = {"stream": "session", "session": "solar-7b", "rank": "0", "host": "gpu017"}
Line = tuple[int, str]


def run_lines(*, starts_at: datetime, seconds: float = 6.0) -> list[Line]:
    """Return 200 steps of `seconds` each, then 50 that take a fifth longer; two are saved after."""
    at, lines = starts_at, list[Line]()

    def tell(text: str) -> None:
        lines.append((int(at.timestamp()) * SECOND + at.microsecond * 1000, text))

    for step in range(250):
        at += timedelta(seconds=seconds if step < 200 else seconds * 1.2)
        tell(
            f"step: {step} loss: 2.1 grad_norm: 1.0 memory: 1.0GiB(1.0%) tps: 7,412 "
            "tflops: 402.1 mfu: 40.6%"
        )
        if step in SAVED:
            tell(f"saving checkpoint at iteration {step} to /a")
            at += timedelta(seconds=31)
            tell(f"successfully saved checkpoint from iteration {step} to /a")
    return lines


def push_run(people: Cast, *, attempt: int = 1, lines: list[Line] | None = None) -> None:
    """Push what an attempt's rank 0 prints, from so many days after the start on."""
    told = lines if lines is not None else run_lines(starts_at=START + timedelta(days=attempt))
    assert (
        push_loki(
            people.token(people.tenant), told, {**LABELS, "attempt": str(attempt)}
        ).status_code
        == 204
    )
    drain_all(people.tenant)
