"""One PostgreSQL and one Valkey for the whole run, a cast; no test reaches past this machine."""

import gc
import shutil
import socket
from collections.abc import Generator, Iterator
from pathlib import Path
from threading import Event
from typing import Any

import hypothesis
import pytest
from django.conf import settings
from django.db import connections
from django.test import TransactionTestCase
from django.test.utils import setup_databases, teardown_databases
from pytest_django import DjangoDbBlocker

from apps.incidents.models import Incident
from apps.operations.servers import embedded, embedded_valkey
from apps.operations.servers.processes import Child
from tests import emptied, examples, lean_clients, migrated
from tests.cast.incidents import Cast, assemble, attempt_of, stop_of

# When memory is searched for garbage; Python's own numbers cost tests a tenth of their time.
GARBAGE = (20_000, 10, 20)
SERVERS = pytest.StashKey[list[Child]]()
# How long an example takes says more about the machine's other work than about the code.
hypothesis.settings.register_profile("here", deadline=None)
hypothesis.settings.load_profile("here")


def pytest_configure(config: pytest.Config) -> None:
    """Start the servers once, in the process that starts the others."""
    lean_clients.share_middleware()
    lean_clients.keep_no_contexts()
    config.stash[SERVERS] = []
    if hasattr(config, "workerinput") or config.option.collectonly:
        return
    var = Path(settings.PORTAL_VAR)
    if settings.PORTAL_EMBEDS_BROKER:
        config.stash[SERVERS].append(Child(embedded_valkey.valkey(var=var)))
    if settings.PORTAL_EMBEDS_DATABASE:
        config.stash[SERVERS].append(Child(embedded.postgres(var=var, is_durable=False)))
    for server in config.stash[SERVERS]:
        server.wait_ready(seconds=30, pause=Event())
    if settings.PORTAL_EMBEDS_DATABASE:
        embedded.provision(var=var, may_create_databases=True)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Keep what modules hold out of garbage collection: it stays until the end of the run."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(*GARBAGE)
        gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Try properties with fewer examples than they name, as this run wants it."""
    examples.take_a_share(items)


def pytest_unconfigure(config: pytest.Config) -> None:
    """Stop the servers and remove what they kept."""
    for server in config.stash.get(SERVERS, []):
        server.stop()
    if not hasattr(config, "workerinput") and Path(settings.PORTAL_VAR).name.startswith(
        "portal-tests-"
    ):
        shutil.rmtree(settings.PORTAL_VAR, ignore_errors=True)


@pytest.fixture(scope="session")
def django_db_setup(
    django_test_environment: None,
    django_db_modify_db_settings: None,
    django_db_blocker: DjangoDbBlocker,
) -> Iterator[None]:
    """Let the owner make and migrate the test database; `default` is the application role on it."""
    # Emptied after a test that commits: only the owner may, and Django skips mirrors.
    TransactionTestCase.databases = {"default", "owner"}
    emptied.empty_what_was_written()
    with django_db_blocker.unblock():
        migrated.take_as_template()
        made = setup_databases(
            0, interactive=False, aliases={"owner": None}, serialized_aliases=set()
        )
        migrated.take_rights()
    gc.collect()
    gc.freeze()
    yield
    with django_db_blocker.unblock():
        connections.close_all()
        teardown_databases(made, verbosity=0)


@pytest.fixture(scope="session", autouse=True)
def _no_network() -> Iterator[None]:
    """Refuse connections that leave this machine."""
    connect = socket.socket.connect

    def connect_here(self: socket.socket, address: Any) -> None:
        if self.family != socket.AF_UNIX and address[0] not in {"127.0.0.1", "::1", "localhost"}:
            raise OSError(f"tests reach no network: {address[0]}")
        connect(self, address)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket.socket, "connect", connect_here)
        yield


@pytest.fixture
def cast(db: None) -> Cast:
    """An operator, two tenants, a vendor and a stranger."""
    return assemble()


@pytest.fixture
def incident(cast: Cast) -> Incident:
    """A stop of the tenant's session, blamed on a GPU."""
    return stop_of(cast, attempt_of(cast, cast.tenant))
