"""A person who signs in with a browser."""

import re

from playwright.sync_api import Page

from apps.tenancy.models import User
from tests.cast import make


def sign_in(page: Page, base: str, user: User) -> None:
    """Enter by the door."""
    page.goto(f"{base}/")
    page.get_by_label("User name").fill(user.username)
    page.get_by_label("Password").fill(make.PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url(re.compile(r"/o/"))
