"""Reading a page and pressing one of its buttons, as a browser does."""

import re

from django.test import Client

from tests.web.markup import one_line


def read(client: Client, address: str) -> str:
    """Return a page."""
    answer = client.get(address)
    assert answer.status_code == 200
    return one_line(answer.content.decode())


def press(client: Client, page: str, button: str, **typed: str) -> str:
    """Send the form with this button as a browser does, and return the page that follows."""
    forms = re.findall(r"<form.*?</form>", page, re.DOTALL)
    form = next(each for each in forms if button in each)
    action = re.search(r'action="([^"]*)"', form)
    assert action is not None
    hidden = dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', form))
    hidden.pop("csrfmiddlewaretoken", None)
    answer = client.post(action[1], hidden | typed, follow=True)
    assert answer.status_code == 200, answer.content
    return one_line(answer.content.decode())
