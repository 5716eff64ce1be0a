"""What names an action of an incident: the same words for the same party are the same action."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any


def action_id(action: Mapping[str, Any]) -> str:
    """Return the id of an action as a header has it."""
    said = json.dumps([action["statement"], action["owner"]], sort_keys=True)
    return "ACT-" + hashlib.blake2b(said.encode(), digest_size=6).hexdigest().upper()
