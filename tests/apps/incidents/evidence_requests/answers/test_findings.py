"""What rules find in a holder's logs, and when they say that they can't tell."""

from datetime import timedelta

from apps.incidents.evidence_requests.answers.values import CheckOutcome
from apps.incidents.models import Incident
from apps.telemetry.models import Batch, BatchState, Deletion
from apps.tenancy.scope import organization_scope
from tests.cast import make
from tests.cast.answers import found, heard, line, previewed, words
from tests.cast.evidence_requests import asked
from tests.cast.incidents import Cast, attempt_of, stop_of

AT = make.AT
XID = "NVRM: Xid (PCI:0000:18:00): 79, pid=1, GPU has fallen off the bus."
MINUTE = timedelta(minutes=1)


def test_a_log_heard_before_and_after_without_such_lines_says_no(
    cast: Cast, incident: Incident
) -> None:
    heard(cast)

    told = found(cast, incident, "gpu-errors")

    assert told.outcome is CheckOutcome.HOLDS
    assert words(told) == (
        "No errors of GPUs (Xid and others) on gpu001, 2026-11-21 01:30:00–02:30:00 UTC, "  # noqa: RUF001
        "by rule gpu-errors on kernel logs"
    )


def test_such_a_line_is_counted_with_the_time_of_the_first_and_without_its_text(
    cast: Cast, incident: Incident
) -> None:
    heard(cast, line(AT - MINUTE, XID), line(AT, XID.replace("18:00", "3b:00")))

    told = found(cast, incident, "gpu-off-bus")

    assert (told.outcome, told.count, told.first_at) == (CheckOutcome.FAILS, 2, AT - MINUTE)
    assert "Xid" not in words(told)


def test_a_line_outside_of_the_window_does_not_count(cast: Cast, incident: Incident) -> None:
    heard(cast, line(AT - MINUTE, XID), line(AT + 5 * MINUTE, XID))

    told = found(cast, incident, "gpu-errors", starts_at=AT, ends_at=AT + 5 * MINUTE)

    assert told.outcome is CheckOutcome.HOLDS


def test_of_another_host_it_does_not_count(cast: Cast, incident: Incident) -> None:
    heard(cast)
    heard(cast, line(AT, XID, "gpu009"), host="gpu009")

    assert found(cast, incident, "gpu-errors").outcome is CheckOutcome.HOLDS


def test_without_any_log_nothing_is_known(cast: Cast, incident: Incident) -> None:
    told = found(cast, incident, "gpu-errors")

    assert told.outcome is CheckOutcome.UNKNOWN
    assert words(told).startswith("Not known whether there were errors of GPUs on gpu001, ")
    assert words(told).endswith("on kernel logs: gpu001: no such log is there")


def test_a_log_that_ends_within_the_window_says_of_which_part_it_is_known(
    cast: Cast, incident: Incident
) -> None:
    heard(cast, ends=AT + 5 * MINUTE)

    told = found(cast, incident, "gpu-errors")

    assert told.outcome is CheckOutcome.PARTLY
    assert words(told) == (
        "No errors of GPUs (Xid and others) on gpu001, 2026-11-21 01:30:00–02:05:00 UTC, "  # noqa: RUF001
        "by rule gpu-errors on kernel logs; of the rest it is not known: "
        "gpu001: its log ends at 2026-11-21 02:05:00 UTC"
    )


def test_a_log_that_begins_within_the_window_says_so(cast: Cast, incident: Incident) -> None:
    heard(cast, begins=AT - 5 * MINUTE)

    told = found(cast, incident, "gpu-errors")

    assert told.part is not None
    assert (told.part.starts_at, told.part.ends_at) == (AT - 5 * MINUTE, AT + 30 * MINUTE)
    assert "its log begins at 2026-11-21 01:55:00 UTC" in words(told)


def test_a_log_that_ends_before_the_window_tells_nothing_of_it(
    cast: Cast, incident: Incident
) -> None:
    heard(cast, ends=AT - 40 * MINUTE)

    told = found(cast, incident, "gpu-errors")

    assert (told.outcome, told.part) == (CheckOutcome.UNKNOWN, None)


def test_of_hosts_without_a_log_nothing_is_said_of_the_others_it_is(cast: Cast) -> None:
    incident = stop_of(cast, attempt_of(cast, cast.tenant, hosts=["gpu001", "gpu002"]))
    heard(cast)

    told = found(cast, incident, "gpu-errors")

    assert (told.outcome, told.part and told.part.hosts) == (CheckOutcome.PARTLY, ("gpu001",))
    assert words(told).startswith("No errors of GPUs (Xid and others) on gpu001, ")
    assert words(told).endswith("of the rest it is not known: gpu002: no such log is there")


def test_lines_that_may_lie_anywhere_leave_also_the_covered_part_open(
    cast: Cast, incident: Incident
) -> None:
    heard(cast, line(AT, "net_ratelimit: 41 callbacks suppressed"), ends=AT + 5 * MINUTE)

    assert found(cast, incident, "gpu-errors").outcome is CheckOutcome.UNKNOWN


def test_what_was_found_is_told_also_where_the_log_is_not_whole(
    cast: Cast, incident: Incident
) -> None:
    heard(cast, line(AT, XID), ends=AT + MINUTE)

    told = found(cast, incident, "gpu-errors")

    assert told.outcome is CheckOutcome.FAILS
    assert [gap.why.kind for gap in told.gaps] == ["gap-log-ends"]


def test_a_log_that_left_lines_out_does_not_say_no(cast: Cast, incident: Incident) -> None:
    heard(cast, line(AT, "net_ratelimit: 41 callbacks suppressed"))

    told = found(cast, incident, "gpu-errors")

    assert told.outcome is CheckOutcome.UNKNOWN
    assert "left lines out" in words(told)


def test_lines_that_were_sent_and_could_not_be_read_leave_it_open(
    cast: Cast, incident: Incident
) -> None:
    heard(cast)
    with organization_scope(cast.operator.pk):
        Batch.objects.update(state=BatchState.DEAD)

    assert "not read yet" in words(found(cast, incident, "gpu-errors"))


def test_what_is_not_kept_any_more_leaves_it_open(cast: Cast, incident: Incident) -> None:
    heard(cast)
    with organization_scope(cast.operator.pk):
        Deletion.objects.create(
            organization=cast.operator, at=AT, kind="events", days=1, before=AT,
            row_count=3, byte_count=3,
        )  # fmt: skip

    assert "not kept any more" in words(found(cast, incident, "gpu-errors"))


def test_a_restart_is_seen(cast: Cast, incident: Incident) -> None:
    heard(cast, line(AT, "Linux version 6.8.0-45-generic (buildd@lcy02) #45-Ubuntu SMP"))

    assert found(cast, incident, "host-restart").outcome is CheckOutcome.FAILS


def test_a_host_that_the_asker_names_is_the_only_one(cast: Cast, incident: Incident) -> None:
    heard(cast, line(AT, XID))

    told = found(cast, incident, "gpu-errors", host="gpu001")

    assert told.outcome is CheckOutcome.FAILS


def test_a_vendor_that_knows_one_host_is_told_of_no_other(cast: Cast) -> None:
    attempt = attempt_of(cast, cast.tenant, hosts=["gpu001", "gpu002"])
    incident = stop_of(cast, attempt)
    heard(cast)
    request = asked(incident, cast.vendor, cast.operator, data="logs:kernel")

    assert previewed(request, cast.operator).hosts == ("gpu001",)


def test_a_gap_in_a_log_of_the_cluster_names_no_host_that_the_asker_does_not_know(
    cast: Cast, incident: Incident
) -> None:
    heard(cast, host="controller-7", stream="scheduler", ends=AT + 5 * MINUTE)

    told = found(cast, incident, "node-failures", "logs:scheduler")

    assert (told.outcome, told.looked_at) == (CheckOutcome.PARTLY, 1)
    assert told.part is not None
    assert told.part.hosts == ()
    assert [gap.host for gap in told.gaps] == [""]
    assert "controller-7" not in words(told)
    assert "its log ends at 2026-11-21 02:05:00 UTC" in words(told)
