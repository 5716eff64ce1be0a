"""What sessions are called."""

import re

from apps.fleet.models import Session

UPLOAD = re.compile(r"[0-9a-f]{16}")


def shown_name(session: Session) -> str:
    """Return the session's own name; one that is only an upload's digest is called so."""
    if session.cluster_id is None and UPLOAD.fullmatch(session.name):
        return f"upload-{session.name[:6]}"
    return session.name
