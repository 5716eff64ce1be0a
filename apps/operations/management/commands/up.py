"""Start the portal with all it needs, in the foreground."""

import os
import socket
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import connections

from apps.operations.command_line.program_name import called
from apps.operations.servers import (
    address,
    database_user,
    private_sockets,
    processes,
    programs,
    startup_checks,
    supervisor,
)
from apps.tenancy.models import User

NOBODY = (
    "Nobody can sign in yet: `{program} setup --file parties.yaml` (see README.md), in another "
    "terminal, prints a link for each first admin.\n"
)
REFUSALS = (
    private_sockets.NotEmbeddable,
    database_user.NoIdentity,
    processes.ProcessFailed,
    startup_checks.NotStartable,
    supervisor.AlreadyRunning,
)


class Command(BaseCommand):
    """Start, watch and stop PostgreSQL, Valkey, worker, beat and web."""

    help = "Start PostgreSQL, Valkey, worker, beat and web; Ctrl-C stops them in order."
    requires_system_checks = ()

    def handle(self, *args: Any, **options: Any) -> None:
        """Run until asked to stop; fail, naming the culprit, when a child ends."""
        base_url = choose_base_url()
        try:
            startup_checks.check()
            with (
                supervisor.Supervisor(var=settings.PORTAL_VAR, say=self._say) as running,
                address.told(var=running.var, base_url=base_url),
            ):
                host, port = programs.bound_address(base_url)
                startup_checks.check_port(host=host, port=port, wait=running.stopping.wait)
                programs.serve(running, base_url=base_url)
                if words := port_words(base_url):
                    self._say(words)
                self._say(f"\nFaultline is up: {base_url}\n{_next_step()}Ctrl-C stops it.")
                running.watch()
        except processes.AskedToStop as stopped:
            self._say(str(stopped))
        except REFUSALS as error:
            raise CommandError(str(error)) from error

    def _say(self, text: str) -> None:
        self.stdout.write(text)
        self.stdout.flush()  # it may be a pipe, and this command goes on for days


def _next_step() -> str:
    """Return a line for who sees an empty portal, empty where somebody can sign in."""
    try:
        return "" if User.objects.exists() else NOBODY.format(program=called())
    finally:
        connections.close_all()


def choose_base_url() -> str:
    """Return the configured address, or what is bound; without a port a free one, 8000 if it is."""
    if os.environ.get("PORTAL_BASE_URL"):
        return str(settings.PORTAL_BASE_URL)
    return address.usual(port=address.USUAL_PORT if is_free(address.USUAL_PORT) else free_port())


def port_words(base_url: str) -> str:
    """Return why the address is not the usual one, empty where it is or was configured."""
    if os.environ.get("PORTAL_BASE_URL") or address.bound()[1]:
        return ""
    if base_url == address.usual(port=address.USUAL_PORT):
        return ""
    return f"Port {address.USUAL_PORT} is taken, so a free one is used; PORTAL_BIND names another."


def is_free(port: int) -> bool:
    """Whether a server may bind this port."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def free_port() -> int:
    """Return a port that nobody uses now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
