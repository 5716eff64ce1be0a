"""Step traces as files that somebody sends: a table of a drawn job, lines of the Inspector."""

import csv
import io
import json

from tests.cast.step_traces import Job, draw, worker_slowed_by


def table(job: Job) -> bytes:
    """Return the trace of a job as CSV with NDTimeline's columns."""
    columns = draw(job).columns
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    return text.getvalue().encode()


def slow_worker(seed: int = 1) -> bytes:
    """Return a table of a job in which replica 0 of stage 0 is slow."""
    return table(worker_slowed_by(Job(seed=seed), 1.4)[0])


def slow_last_stage(seed: int = 1) -> bytes:
    """Return a table of a job whose last stage has more to do."""
    return table(Job(seed=seed, last_stage_factor=1.8))


def unexplained(seed: int = 1) -> bytes:
    """Return a table whose steps take time that no operation tells of."""
    return table(Job(seed=seed, unexplained_seconds=0.02))


def inspector_lines(*, late: int, ranks: int = 8, collectives: int = 40) -> bytes:
    """Return collectives without their times, in which one rank comes last."""
    lines = [
        json.dumps(
            {
                "header": {"id": "0x7e1", "rank": rank, "n_ranks": ranks},
                "metadata": {"hostname": f"gpu{rank // 4 + 1:03}"},
                "coll_perf": {
                    "coll": "AllReduce",
                    "coll_sn": number,
                    "coll_msg_size_bytes": 2**20,
                    "coll_exec_time_us": 300 if rank == late else 900,
                },
            }
        )
        for number in range(collectives)
        for rank in range(ranks)
    ]
    return "\n".join(lines).encode()
