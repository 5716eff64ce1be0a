"""The table in which torchrun says which process failed first, as it prints it."""

RULE, LINE = "=" * 60, "-" * 60


def child_failed(
    *,
    at: str,
    host: str,
    rank: int | str,
    local_rank: int = 0,
    code: int | str = 1,
    pid: int | str = 4100,
    said: str = "",
) -> str:
    """Return the table of one failure; `at` as torchrun writes it, `said` as its traceback."""
    return "\n".join(
        (
            "torch.distributed.elastic.multiprocessing.errors.ChildFailedError:",
            RULE,
            "train.py FAILED",
            LINE,
            "Failures:",
            "  <NO_OTHER_FAILURES>",
            LINE,
            "Root Cause (first observed failure):",
            "[0]:",
            f"  time      : {at}",
            f"  host      : {host}",
            f"  rank      : {rank} (local_rank: {local_rank})",
            f"  exitcode  : {code} (pid: {pid})",
            "  error_file: <N/A>",
            *([f"  traceback : {said}"] if said else []),
            RULE,
            "",
        )
    )
