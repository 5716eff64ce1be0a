"""Rows as sacct prints them."""

COLUMNS = "JobID|JobName|Account|Submit|Eligible|Start|End|State|NodeList|ExitCode"
FIRST = "4711|solar|llm|2026-11-21T10:00:00|2026-11-21T10:05:00|2026-11-21T11:00:00"
AGAIN = "4711|solar|llm|2026-11-21T12:00:00|2026-11-21T12:02:00|2026-11-21T12:10:00"
FAILED = f"{FIRST}|2026-11-21T12:00:00|NODE_FAIL|gpu[017-018]|1:0"
RUNS = f"{AGAIN}|Unknown|RUNNING|gpu[018-019]|0:0"
