"""Blamed parts on one line, as files name them."""

from collections.abc import Sequence

from apps.incidents.exports.export_format import Json


def blamed(culprits: Sequence[Json] | None) -> str:
    """Return the blamed parts, each as its kind, host and name."""
    return "; ".join(
        " ".join(str(part) for part in (each["kind"], each["host"], each["name"]) if part)
        for each in culprits or ()
    )
