"""The search as a page, and as the list under its box."""

from apps.incidents.models import Incident
from tests.cast.incidents import Cast
from tests.web.conftest import Browser
from tests.web.markup import one_line


def page(cast: Cast, browser: Browser, typed: str, **headers: str) -> str:
    """Return the page as the operator sees it."""
    asking = browser(cast.operator)
    answer = asking.get(f"/o/{cast.operator.slug}/find/", {"q": typed}, headers=headers)
    assert answer.status_code == 200
    return one_line(answer.content.decode())


def test_what_is_found_leads_to_its_place_and_is_marked(
    cast: Cast, incident: Incident, browser: Browser
) -> None:
    text = page(cast, browser, "gpu001")

    assert f'href="/o/{cast.operator.slug}/incidents/{incident.public_id}/"' in text
    assert f'href="/o/{cast.operator.slug}/nodes/{cast.cluster.slug}/gpu001/"' in text
    assert "<mark>gpu001</mark>" in text


def test_a_page_that_asks_while_somebody_types_gets_options_alone(
    cast: Cast, incident: Incident, browser: Browser
) -> None:
    text = page(cast, browser, "gpu001", hx_request="true", hx_target="find-list")

    assert 'role="option"' in text
    assert "<html" not in text
    assert incident.public_id in text


def test_nothing_and_nonsense_say_so(cast: Cast, browser: Browser) -> None:
    assert "Nothing that you may read has that name." in page(cast, browser, "no-such-thing")
    assert "Type at least two letters." in page(cast, browser, "x")
    assert "An Xid is a number" in page(cast, browser, "xid:gpu")
    assert "Is “host:” meant?" in page(cast, browser, "hots:gpu001")


def test_a_text_with_markup_is_shown_as_text(cast: Cast, browser: Browser) -> None:
    text = page(cast, browser, "<script>alert(1)</script>")

    assert "<script>alert" not in text


def test_a_member_of_another_organization_finds_no_page(cast: Cast, browser: Browser) -> None:
    outsider = browser(cast.stranger)

    assert outsider.get(f"/o/{cast.operator.slug}/find/?q=gpu001").status_code == 404
    assert outsider.get(f"/o/{cast.operator.slug}/find/line/?at=stream:1/1").status_code == 404
