"""`manage.py verify` of the audit records alone, under the name that it had before."""

from apps.operations.management.commands import verify


class Command(verify.Command):
    """Compare the audit records' chains with their digests."""

    help = "Say whether an audit entry was changed or removed; exit 1 if so. See `verify`."
    records = ("audit",)
