"""Scripts: what they wait for is what the library beside them sends."""

import re
from pathlib import Path

from django.contrib.staticfiles import finders

ROOT = Path(__file__).parents[2]
HEARD = re.compile(r'"(htmx:[\w:]+)"')
LATER = re.compile(r"content=\"{% static '(django_htmx/[^']+)' %}")
LINKED = re.compile(r"{% static '(django_htmx/[^']+)' %}")


def test_each_event_that_is_waited_for_is_one_that_htmx_sends() -> None:
    """A name of another version would be heard by nobody."""
    (linked,) = LINKED.findall((ROOT / "templates/base.html").read_text())
    sent = {*HEARD.findall(Path(str(finders.find(linked))).read_text())}
    heard = {
        name: path.name
        for path in sorted((ROOT / "static/js").glob("*.js"))
        for name in HEARD.findall(path.read_text())
    }
    later = LATER.findall((ROOT / "templates/web/incident/page.html").read_text())
    assert later == [linked]
    assert heard
    assert {name: heard[name] for name in heard.keys() - sent} == {}
