"""Prometheus remote_write 1.0 and 2.0 → columns, and columns → 1.0.

Written after the published numbers of prometheus.WriteRequest and io.prometheus.write.v2.Request.
A reader of its own: through generated messages the same body takes several times as long.
"""

from apps.telemetry.formats.remote_write.encoding import write_v1
from apps.telemetry.formats.remote_write.limits import SAMPLES_LIMIT
from apps.telemetry.formats.remote_write.version_1 import read_v1
from apps.telemetry.formats.remote_write.version_2 import read_v2

__all__ = ["SAMPLES_LIMIT", "read_v1", "read_v2", "write_v1"]
