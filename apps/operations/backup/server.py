"""The database of this installation for a command: the server's, or the embedded one, started."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from django.conf import settings
from django.db import connections

from apps.operations.servers import embedded
from apps.operations.servers.supervisor import Supervisor


@contextmanager
def database(*, say: Callable[[str], object]) -> Iterator[None]:
    """Let the block reach the database; what was started for it is stopped behind it."""
    var = settings.PORTAL_VAR
    if not settings.PORTAL_EMBEDS_DATABASE or embedded.is_answering(var=var):
        yield
        return
    with Supervisor(var=var, say=say) as supervisor:
        supervisor.start(embedded.postgres(var=var))
        embedded.provision(var=var)
        try:
            yield
        finally:
            connections.close_all()
