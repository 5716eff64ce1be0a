"""What of an input can't be used, said before any of it is read."""

from apps.diagnosis import zone_names


class UnusableInput(ValueError):
    """A path that can't be read, with what to do about it."""


def check_zone(*, zone: str | None, where: str) -> None:
    """Raise UnusableInput for a name that no time zone has."""
    if zone and not zone_names.is_zone(name=zone):
        raise UnusableInput(f"{where}: {zone_names.refusal(name=zone)}")
