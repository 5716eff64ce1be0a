"""What people make themselves, so that its pages can be pictured: a report and an evidence bundle.

Each is made once: where the list has one, that one is pictured.
"""

from playwright.sync_api import Page


def prepare(page: Page, home: str) -> None:
    """Make what is missing, as whoever the page is signed in as; `home` ends with a slash."""
    _issue_report(page, home)
    _make_bundle(page, home)


def _issue_report(page: Page, home: str) -> None:
    page.goto(f"{home}reports/")
    if not page.locator("main a[href*='/reports/RPT-']").count():
        page.locator("main form[action$='/reports/issue/'] button[type=submit]").click()
        page.wait_for_load_state()


def _make_bundle(page: Page, home: str) -> None:
    page.goto(f"{home}sharing/bundles/")
    if page.locator("main td a[href*='/bundles/']").count():
        return
    page.goto(f"{home}incidents/")
    incident = page.locator("main a[href*='/incidents/INC-']").first.get_attribute("href") or ""
    page.goto(f"{home}sharing/bundles/new/?incident={incident.rstrip('/').rsplit('/', 1)[-1]}")
    page.locator("input[name=recipient]").last.check()
    page.locator("input[name=purpose]").fill("Did your side see this part before the stop?")
    page.locator("main form button[type=submit]").click()
    page.wait_for_load_state()
