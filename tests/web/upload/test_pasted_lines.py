"""Lines pasted into the upload page: kept as a file of them would be, refused in words."""

import pytest
from django.test import override_settings

from apps.telemetry.models import LogStream
from apps.tenancy.scope import organization_scope
from tests.cast.incidents import Cast
from tests.cast.pushes import drain_all
from tests.web.conftest import Browser
from tests.web.upload.uploads import plain

XID = "[ 9.1] NVRM: Xid (PCI:0000:1b:00): 79, GPU has fallen off the bus."


def test_one_pasted_line_is_kept_and_its_kind_is_read_from_it(cast: Cast, browser: Browser) -> None:
    client, there = browser(cast.tenant), f"/o/{cast.tenant.slug}/upload/"
    kept = client.post(there, {"lines": XID, "host": "gpu017", "stream": "kernel"}, follow=True)
    assert "1 line is kept." in kept.content.decode()
    drain_all(cast.tenant)
    with organization_scope(cast.tenant.pk):
        stream = LogStream.objects.for_organization(cast.tenant).get()
    assert (stream.kind, stream.host, stream.line_count) == ("kernel", "gpu017", 1)


def test_pasted_lines_and_files_are_kept_together(cast: Cast, browser: Browser) -> None:
    form = {"lines": "one\r\ntwo\r\n", "files": [plain()]}
    kept = browser(cast.tenant).post(f"/o/{cast.tenant.slug}/upload/", form, follow=True)
    assert "4 lines are kept." in kept.content.decode()


@pytest.mark.parametrize("lines", ["", "  \r\n \r\n"])
def test_of_nothing_pasted_and_no_file_it_is_said_what_to_do(
    cast: Cast, browser: Browser, lines: str
) -> None:
    said = browser(cast.tenant).post(f"/o/{cast.tenant.slug}/upload/", {"lines": lines})
    assert "Choose at least one file that holds lines of a log, or paste" in said.content.decode()


@override_settings(PORTAL_MAX_DECODED_BYTES=100)
def test_pasted_lines_have_the_bounds_of_a_file(cast: Cast, browser: Browser) -> None:
    said = browser(cast.tenant).post(f"/o/{cast.tenant.slug}/upload/", {"lines": "line\n" * 99})
    text = said.content.decode()
    assert "pasted.log: a file is taken up to" in text
    assert "line\nline" in text  # nothing typed is lost


def test_kinds_of_logs_and_clusters_go_by_their_names(cast: Cast, browser: Browser) -> None:
    shown = browser(cast.tenant).get(f"/o/{cast.tenant.slug}/upload/").content.decode()
    page = " ".join(shown.split())
    assert '<option value="bmc" > BMC logs </option>' in page
    option = f'<option value="{cast.cluster.slug}" > {cast.cluster.name} </option>'
    assert option in page
