"""Every kind of fact that can be said, once, with its values and its text."""

from collections.abc import Mapping

from apps.wording.kinds.advice import ADVICE
from apps.wording.kinds.answers import ANSWERS
from apps.wording.kinds.coordination import COORDINATION
from apps.wording.kinds.deliveries import DELIVERIES
from apps.wording.kinds.devices import DEVICES
from apps.wording.kinds.findings import FINDINGS
from apps.wording.kinds.knowledge import KNOWLEDGE
from apps.wording.kinds.measurements import MEASUREMENTS
from apps.wording.kinds.moments import MOMENTS
from apps.wording.kinds.news import NEWS
from apps.wording.kinds.reasons import REASONS
from apps.wording.kinds.requests import REQUESTS
from apps.wording.kinds.tables import TABLES
from apps.wording.kinds.warnings import WARNINGS
from apps.wording.kinds.zones import ZONES
from apps.wording.speaker import Wording

KINDS: Mapping[str, Wording] = {
    **KNOWLEDGE,
    **REASONS,
    **ADVICE,
    **MOMENTS,
    **COORDINATION,
    **FINDINGS,
    **MEASUREMENTS,
    **DEVICES,
    **ZONES,
    **WARNINGS,
    **NEWS,
    **DELIVERIES,
    **TABLES,
    **REQUESTS,
    **ANSWERS,
}
