"""The project's settings, pointed at servers that live as long as one test run."""

import os
import socket
import tempfile
from pathlib import Path

if "PORTAL_VAR" not in os.environ:  # the run's other processes inherit it
    os.environ["PORTAL_VAR"] = tempfile.mkdtemp(prefix="portal-tests-")
# Who wants no compiled files in the tree has them beside it: each portal and each command that a
# test starts would compile all modules anew, which takes as long as the rest of its start.
if os.environ.pop("PYTHONDONTWRITEBYTECODE", ""):
    os.environ["PYTHONPYCACHEPREFIX"] = str(Path(os.environ["PORTAL_VAR"]) / "compiled")
os.environ.setdefault("PORTAL_SECRET_KEYS", "k" * 50)
# How full this machine's disk is decides no test but those that set it themselves.
os.environ.setdefault("PORTAL_MAX_DISK_PERCENT", "101")
try:
    socket.gethostbyname("localhost")
except OSError:  # a bare machine without a hosts file
    os.environ.setdefault("DJANGO_LIVE_TEST_SERVER_ADDRESS", "127.0.0.1")

from apps.operations.servers import private_sockets, queue_access
from portal.settings import *  # noqa: F403  everything but what follows
from portal.settings import CACHES, PORTAL_EMBEDS_BROKER, PORTAL_REDIS_URL, PORTAL_VAR

if PORTAL_EMBEDS_BROKER:  # its password is made before the server starts
    queue_access.make_password(var=PORTAL_VAR)
    PORTAL_REDIS_URL = private_sockets.redis_url(var=PORTAL_VAR)
# Each worker process has a Valkey database of its own, as it has a PostgreSQL database.
_worker = os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw")
PORTAL_REDIS_URL = f"{PORTAL_REDIS_URL.partition('?')[0]}?db={int(_worker) + 1}"
CELERY_BROKER_URL = private_sockets.celery_url(redis_url=PORTAL_REDIS_URL)
CACHES["default"]["LOCATION"] = PORTAL_REDIS_URL
PORTAL_STORAGE = Path(PORTAL_VAR) / f"storage-{_worker}"
# What tests connect to is on this machine; who tests refusals takes it away.
PORTAL_OUTBOUND_NETWORKS = ["127.0.0.0/8"]
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]  # quick, not safe
