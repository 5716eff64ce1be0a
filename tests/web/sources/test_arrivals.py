"""Sources says what came before it was opened: only who never sent anything is waited for."""

import pytest

from tests.cast.incidents import Cast
from tests.cast.pushes import drain_all
from tests.web.conftest import Browser
from tests.web.upload.uploads import plain


@pytest.mark.parametrize("headers", [{}, {"HX-Request": "true"}], ids=["page", "fragment"])
def test_lines_that_came_before_are_told_and_not_waited_for(
    cast: Cast, browser: Browser, headers: dict[str, str]
) -> None:
    client, there = browser(cast.tenant), f"/o/{cast.tenant.slug}/sources/"
    assert "Waiting for the first line" in client.get(there, headers=headers).content.decode()
    client.post(f"/o/{cast.tenant.slug}/upload/", {"files": [plain()]})
    drain_all(cast.tenant)
    later = client.get(f"{there}?since=2999-01-01T00:00:00%2B00:00", headers=headers)
    text = later.content.decode()
    assert "2 lines have come, the newest" in text
    assert "Waiting for the first line" not in text
