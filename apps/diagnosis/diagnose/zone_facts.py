"""What is told of a zone that no line states."""

from datetime import timedelta

from apps.diagnosis.model import PrintedZone, Statement, Stream, ZoneReading, statement

AT_STOP = timedelta(seconds=1)
UTC = timedelta(0)


def compared_zones(*, reading: ZoneReading, what: Statement | None = None) -> Statement:
    """Return both readings; `what` comes with one of them, without it the evidence told of."""
    taken, otherwise = _taken(reading)
    return statement(
        "zones-compared",
        log=log_of(reading.stream),
        taken=taken,
        what=what or statement("this-evidence"),
        then=_beside_stop(reading.gap),
        otherwise=otherwise,
        else_then=_beside_stop(reading.printed_gap),
    )


def assumed_zone(*, reading: ZoneReading) -> Statement:
    """Return what is taken for the zone of the logs that state none."""
    return statement("zone-assumed", log=log_of(reading.stream), taken=_taken(reading)[0])


def printed_zone(*, zone: PrintedZone) -> Statement:
    """Return what is taken for the times that name no zone, and by whose word."""
    streams = tuple(str(one) for one in zone.streams) or ("other",)
    count = len(streams)
    if zone.stated_by is None:
        return statement("zone-taken", streams=streams, count=count, zone=zone.offset)
    stated = log_of(zone.stated_by)
    if zone.host:
        stated = statement("log-of-host", log=stated, host=zone.host)
    return statement("zone-stated", streams=streams, count=count, zone=zone.offset, by=stated)


def log_of(stream: Stream | None) -> Statement:
    """Return a kind of log inside a sentence."""
    return statement("log", stream=str(stream or "other"))


def settles(*, reading: ZoneReading) -> Statement:
    """Return what says which zone it is."""
    if reading.offset is not None:
        return statement("option-says-zone")
    return statement("dated-log-says-zone")


def _taken(reading: ZoneReading) -> tuple[Statement, Statement]:
    if reading.offset is not None:
        taken = statement("taken-as-zone", zone=reading.offset)
        return taken, statement("taken-as-zone", zone=reading.guessed)
    span, printed = abs(reading.shift), statement("as-printed")
    if reading.shift > UTC:
        return statement("taken-as-behind", span=span), printed
    return statement("taken-as-ahead", span=span), printed


def _beside_stop(gap: timedelta) -> Statement:
    if abs(gap) < AT_STOP:
        return statement("with-stop")
    if gap < timedelta(0):
        return statement("before-stop", span=-gap)
    return statement("after-stop", span=gap)
