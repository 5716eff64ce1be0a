"""Who is who: hosts and their other names, which rank ran where, and over which time."""

from apps.diagnosis.reasoning.scope.identity.learned_topology import learned
from apps.diagnosis.reasoning.scope.identity.session_hosts import (
    are_all,
    began_at,
    first_heard,
    gpus,
    hosts,
    kernel_hosts,
    last_heard,
    seats,
)

__all__ = [
    "are_all",
    "began_at",
    "first_heard",
    "gpus",
    "hosts",
    "kernel_hosts",
    "last_heard",
    "learned",
    "seats",
]
