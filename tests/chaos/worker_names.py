"""How workers are called on a command line."""

WORKER = "celery --app portal --quiet worker"
