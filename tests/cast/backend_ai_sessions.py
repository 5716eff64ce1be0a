"""A session as Backend.AI exports it."""

from typing import Any

HISTORY = {
    "PENDING": "2026-11-21T01:00:00Z",
    "PULLING": "2026-11-21T01:01:00Z",
    "RUNNING": "2026-11-21T01:04:00Z",
    "RUNNING_DEGRADED": "2026-11-21T02:00:00Z",
    "TERMINATED": "2026-11-21T02:10:00Z",
}
SESSION: dict[str, Any] = {
    "session_id": "0b6f",
    "name": "solar-218",
    "group_name": "solar",
    "status": "TERMINATED",
    "status_info": "self-terminated",
    "result": "failure",
    "agent_ids": ["i-gpu002", "i-gpu001"],
    "status_history": HISTORY,
}
