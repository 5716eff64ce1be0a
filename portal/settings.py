"""Settings that PORTAL_* variables decide; docs/operations.md has a heading for each variable.

A secret may also come from a file: PORTAL_X_FILE names it. Without any variable the portal runs
on the servers that `manage.py up` starts beside it.
"""

from pathlib import Path
from typing import Any

from django.core.exceptions import ImproperlyConfigured

from apps.diagnosis.spelling import shown
from apps.operations.process_log.loggers import logging_of
from apps.operations.servers import address, private_sockets
from portal import addresses, home
from portal import variables as read
from portal.fixed_settings import *  # noqa: F403  what no variable changes
from portal.fixed_settings import BASE_DIR, MIDDLEWARE

# Where things are

# Run-time data of one installation: databases, stored batches, keys, logs of the processes.
PORTAL_VAR = Path(read.text("PORTAL_VAR", str(home.data(base=BASE_DIR)))).absolute()
PORTAL_STORAGE = Path(read.text("PORTAL_STORAGE", str(PORTAL_VAR / "storage"))).absolute()
# Which of the portal's processes this is: web, worker, beat, or empty for a command.
PORTAL_PROCESS = read.text("PORTAL_PROCESS")
if PORTAL_PROCESS not in {"", "web", "worker", "beat"}:
    named = shown(word=PORTAL_PROCESS)
    raise ImproperlyConfigured(f"PORTAL_PROCESS={named!r} is not web, worker or beat")
address.bound()
PORTAL_BASE_URL = read.text("PORTAL_BASE_URL", "").strip().rstrip("/")
if not PORTAL_BASE_URL and not read.text("PORTAL_DATABASE_URL"):
    # A command beside `manage.py up`: a link with another address would go to whoever is there.
    PORTAL_BASE_URL = address.kept(var=PORTAL_VAR)
PORTAL_BASE_URL = PORTAL_BASE_URL or address.usual()
_scheme, _name = addresses.web_address("PORTAL_BASE_URL", PORTAL_BASE_URL)
_is_secure = _scheme == "https"
_is_ipv6 = ":" in _name
_host, _mail_host = (f"[{_name}]", "localhost") if _is_ipv6 else (_name, _name)

# Keys: the first encrypts and signs, the others still decrypt and verify

PORTAL_SECRET_KEYS = read.secret_keys(var=PORTAL_VAR, process=PORTAL_PROCESS)
SECRET_KEY = PORTAL_SECRET_KEYS[0]
SECRET_KEY_FALLBACKS = PORTAL_SECRET_KEYS[1:]
DEBUG = read.switch("PORTAL_DEBUG", default=False)

# Servers

_app_url = read.text("PORTAL_DATABASE_URL")
_owner_url = read.text("PORTAL_OWNER_DATABASE_URL")
_redis_url = addresses.redis("PORTAL_REDIS_URL")
PORTAL_EMBEDS_DATABASE = not _app_url
PORTAL_EMBEDS_BROKER = not _redis_url
if _owner_url and not _app_url:
    raise ImproperlyConfigured("PORTAL_OWNER_DATABASE_URL is set, PORTAL_DATABASE_URL is not")
if PORTAL_EMBEDS_DATABASE:
    _app_url = private_sockets.database_url(var=PORTAL_VAR, role="portal_app")
    _owner_url = private_sockets.database_url(var=PORTAL_VAR, role="portal_owner")

DATABASES: dict[str, dict[str, Any]] = {
    # May not pass row-level security, owns no table.
    "default": addresses.database("PORTAL_DATABASE_URL", _app_url) | {"TEST": {"MIRROR": "owner"}},
    # Owns the tables; used by migrations alone, so most processes need no such URL.
    "owner": addresses.database("PORTAL_OWNER_DATABASE_URL", _owner_url)
    | {"TEST": {"DEPENDENCIES": []}}
    if _owner_url
    else {"ENGINE": "django.db.backends.dummy"},
}
# For what one process waits at the most; commands and migrations take their time.
PATIENCE = {
    "web": ("-c statement_timeout=30s", "-c lock_timeout=5s"),
    # Below the shortest hard limit of a task that writes much.
    "worker": ("-c statement_timeout=100s", "-c lock_timeout=20s"),
}
DATABASE_ROUTERS = ["portal.routers.OwnerMigrates"]
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
# A server that came back is noticed before a request or task uses a dead connection.
DATABASES["default"]["CONN_HEALTH_CHECKS"] = True
# Nobody waits for long for what another one holds or asks: seconds a statement and a lock may take.
if PORTAL_PROCESS in PATIENCE:
    DATABASES["default"]["OPTIONS"]["options"] = " ".join(
        (DATABASES["default"]["OPTIONS"].get("options", ""), *PATIENCE[PORTAL_PROCESS])
    ).strip()
if PORTAL_PROCESS == "worker":
    DATABASES["default"]["CONN_MAX_AGE"] = None  # one per child, from task to task
PORTAL_POOL_SIZE = read.number("PORTAL_POOL_SIZE", 12, most=10_000)
if PORTAL_PROCESS == "web":
    DATABASES["default"]["OPTIONS"]["pool"] = {
        "min_size": 1,
        "max_size": PORTAL_POOL_SIZE,
        "timeout": 2,
    }

PORTAL_REDIS_URL = _redis_url or private_sockets.redis_url(var=PORTAL_VAR)
CELERY_BROKER_URL = private_sockets.celery_url(redis_url=PORTAL_REDIS_URL)
CACHES = {
    "default": {
        "BACKEND": "apps.operations.servers.json_cache.JsonCache",
        "LOCATION": PORTAL_REDIS_URL,
        "KEY_PREFIX": "portal",
        "OPTIONS": {"socket_connect_timeout": 2, "socket_timeout": 5},
    }
}
STORAGES = {
    "default": {
        "BACKEND": "django.core.files.storage.FileSystemStorage",
        "OPTIONS": {
            "location": PORTAL_STORAGE,
            "file_permissions_mode": 0o600,
            "directory_permissions_mode": 0o700,
        },
    },
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}

# Mail: without a server nobody is written to

PORTAL_SMTP = addresses.mail_server("PORTAL_SMTP_URL")
PORTAL_MAIL_FROM = addresses.mail_address(
    "PORTAL_MAIL_FROM", read.text("PORTAL_MAIL_FROM", f"Faultline <faultline@{_mail_host}>")
)

# Limits

# Bytes of one pushed body as they arrive, and of what they unpack to.
PORTAL_MAX_BODY_BYTES = read.number("PORTAL_MAX_BODY_BYTES", 64 * 2**20)
PORTAL_MAX_DECODED_BYTES = read.number("PORTAL_MAX_DECODED_BYTES", 192 * 2**20)
# Bytes of bodies that one web process holds at the same time.
PORTAL_MAX_INFLIGHT_BYTES = read.number("PORTAL_MAX_INFLIGHT_BYTES", 256 * 2**20)
# Above it an organization's pushes are answered 429 until its backlog shrinks.
PORTAL_MAX_NEW_SESSIONS = read.number("PORTAL_MAX_NEW_SESSIONS", 100_000)
PORTAL_MAX_PENDING_BYTES = read.number("PORTAL_MAX_PENDING_BYTES", 512 * 2**20)
# What is sent of metrics is held for detection: for how long, in how much room of an
# organization's, and how many series of one sender.
PORTAL_WINDOW_SECONDS = read.number("PORTAL_WINDOW_SECONDS", 2 * 3600, most=31 * 86_400)
PORTAL_MAX_WINDOW_BYTES = read.number("PORTAL_MAX_WINDOW_BYTES", 2 * 2**30)
PORTAL_MAX_WINDOW_SERIES = read.number("PORTAL_MAX_WINDOW_SERIES", 1_000_000)
# Connections that one web process holds open; a quarter of them from one address.
PORTAL_MAX_CONNECTIONS = read.number("PORTAL_MAX_CONNECTIONS", 1000, most=1_000_000)
# How long each class is kept; incidents and what they cite are kept for ever.
PORTAL_KEEP_RAW_DAYS = read.days("PORTAL_KEEP_RAW_DAYS", 14)
PORTAL_KEEP_EVENTS_DAYS = read.days("PORTAL_KEEP_EVENTS_DAYS", 180)
PORTAL_KEEP_METRICS_DAYS = read.days("PORTAL_KEEP_METRICS_DAYS", 90)
# How long those whom a verdict blames may reply, from when it has settled.
PORTAL_REPLY_DAYS = read.number("PORTAL_REPLY_DAYS", 7, most=365)
# What one organization may keep altogether, and how full a disk may be; then pushes are refused.
PORTAL_MAX_STORED_BYTES = read.number("PORTAL_MAX_STORED_BYTES", 100 * 2**30)
PORTAL_MAX_DISK_PERCENT = read.number("PORTAL_MAX_DISK_PERCENT", 90, most=101)
# A database server's disk can't be seen from here: its size, where it is not embedded.
PORTAL_DATABASE_DISK_BYTES = read.number("PORTAL_DATABASE_DISK_BYTES", 0, least=0)
# How many tasks a worker does at a time; nobody's work takes all of them.
PORTAL_WORKER_PROCESSES = read.number("PORTAL_WORKER_PROCESSES", 2, most=1000)
PORTAL_ALL_WORKER_PROCESSES = read.number("PORTAL_ALL_WORKER_PROCESSES", PORTAL_WORKER_PROCESSES)
# How often each metrics source is read.
PORTAL_PULL_SECONDS = read.number("PORTAL_PULL_SECONDS", 30, most=86_400)
# How many series of one source are read in a cycle: facts first, then what is compared.
PORTAL_PULL_SERIES = read.number("PORTAL_PULL_SERIES", 300_000)
# For so long the fleet page can look back: what each part measured is kept minute by minute.
PORTAL_FLEET_HOURS = read.number("PORTAL_FLEET_HOURS", 12, most=168)
# Networks that are not public and that organizations may let sources reach; empty: none.
PORTAL_OUTBOUND_NETWORKS = addresses.networks("PORTAL_OUTBOUND_NETWORKS")
DATA_UPLOAD_MAX_MEMORY_SIZE = 4 * 2**20
DATA_UPLOAD_MAX_NUMBER_FILES = 2000
FILE_UPLOAD_TEMP_DIR = None

# Security

# What people use, and this machine, which asks whether the portal is ready.
_hosts = addresses.hosts("PORTAL_HOSTS")
ALLOWED_HOSTS = sorted({_host, "127.0.0.1", "localhost", "[::1]", *_hosts})
CSRF_TRUSTED_ORIGINS = [PORTAL_BASE_URL]
CSRF_COOKIE_HTTPONLY = True
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = LANGUAGE_COOKIE_SECURE = _is_secure
SECURE_SSL_REDIRECT = _is_secure
SECURE_REDIRECT_EXEMPT = [r"^healthz$", r"^readyz$", r"^metrics$"]
SECURE_HSTS_SECONDS = 31_536_000 if _is_secure else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = _is_secure
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
PORTAL_TRUST_PROXY = read.switch("PORTAL_TRUST_PROXY", default=False)
if PORTAL_TRUST_PROXY:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    MIDDLEWARE = ["apps.operations.http.middleware.behind_proxy", *MIDDLEWARE]

# Who may read what the portal says about itself: who shows this token, or asks from these networks.
PORTAL_METRICS_TOKEN = read.text("PORTAL_METRICS_TOKEN")
PORTAL_METRICS_NETWORKS = addresses.networks("PORTAL_METRICS_NETWORKS", "127.0.0.0/8,::1/128")

# What the processes write: one JSON object a line

LOGGING = logging_of(level=read.choice("PORTAL_LOG_LEVEL", "INFO", read.LEVELS))

# A misspelt name would leave its setting as it was, in silence

read.check_names()
