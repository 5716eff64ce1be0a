"""How much an organization may keep: its own figure, set by the operator, or everybody's."""

import re
from datetime import datetime
from typing import Final

from django.conf import settings

from apps.telemetry.models import Quota
from apps.tenancy.audit.audit_log import AuditAction, record

UNITS: Final = {"": 1, "B": 1, "KIB": 2**10, "MIB": 2**20, "GIB": 2**30, "TIB": 2**40}
SHOWN: Final = (("TiB", 2**40), ("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10))
SIZE: Final = re.compile(r"(\d{1,15})(?:\.(\d{1,3}))?\s*([A-Za-z]*)", re.ASCII)
MOST: Final = 2**60
DEFAULT: Final = "default"  # the word for everybody's figure


class BadSize(ValueError):
    """What was given is no size; says what one looks like."""


def limit_of(*, organization_id: int) -> int:
    """Return how many bytes an organization may keep; 0: no limit. Needs the scope."""
    own = own_limit_of(organization_id=organization_id)
    return int(settings.PORTAL_MAX_STORED_BYTES) if own is None else own


def own_limit_of(*, organization_id: int) -> int | None:
    """Return the figure set for this organization alone, if there is one. Needs the scope."""
    rows = Quota.objects.for_organization(organization_id)
    return rows.values_list("max_bytes", flat=True).first()


def set_limit(*, organization_id: int, max_bytes: int | None, actor: str, now: datetime) -> None:
    """Give an organization a figure of its own, None: everybody's. Audited. Needs the scope."""
    rows = Quota.objects.for_organization(organization_id)
    if max_bytes is None:
        rows.delete()
    else:
        Quota.objects.update_or_create(
            organization_id=organization_id, defaults={"max_bytes": max_bytes, "set_at": now}
        )
    subject = "default" if max_bytes is None else f"{max_bytes} bytes"
    act = AuditAction(action="quota.set", subject=subject, actor=actor)
    record(organization_id=organization_id, act=act, now=now)


def figure_of(*, text: str) -> int | None:
    """Return the bytes that a size says, None for the word `default`; raise BadSize."""
    return None if text.strip() == DEFAULT else size_of(text=text)


def size_text(size: float) -> str:
    """Return a size as `size_of` takes it: 500 GiB, 1.5 MiB, 12 B."""
    unit, scale = next((each for each in SHOWN if size >= each[1]), ("B", 1))
    places = 0 if size % scale == 0 else 1
    return f"{size / scale:,.{places}f} {unit}"


def size_of(*, text: str) -> int:
    """Return the bytes that a text like `500 GiB` or `1073741824` says; raise BadSize."""
    found = SIZE.fullmatch(text.strip())
    unit = UNITS.get(found[3].upper()) if found else None
    # 0 means no limit: half a byte, of who forgot the unit, must not become it.
    if found is None or unit is None or (found[2] and unit == 1):
        raise BadSize(f"{text!r} is no size: write bytes, or a number with KiB, MiB, GiB or TiB")
    size: int = int(found[1]) * unit + int(found[2] or 0) * unit // 10 ** len(found[2] or "")
    if size > MOST:
        raise BadSize(f"{text!r} is more than any disk holds")
    return size
