"""What axe-core finds on an open page, in each look of it: theme, contrast and width."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page

LEVELS: Final = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa")
# What colours decide; the rest of a page is the same in all of them.
OF_COLOUR: Final = ("color-contrast", "link-in-text-block")
RUN: Final = """(what) => axe.run({resultTypes: ["violations"], runOnly: what})
  .then((found) => found.violations.flatMap((rule) => rule.nodes.map((node) => ({
    rule: rule.id, where: node.target.join(" "), html: node.html.slice(0, 160),
    why: [...node.any, ...node.all, ...node.none].map((each) => each.message).join("; "),
  }))))"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """How a page is looked at, and which rules that can break."""

    name: str
    media: dict[str, Any] = field(default_factory=dict)
    rules: tuple[str, ...] = LEVELS
    kind: str = "tag"


WIDTHS: Final = (1440, 390)
PLAIN: Final[dict[str, Any]] = {
    "color_scheme": "light",
    "contrast": "no-preference",
    "forced_colors": "none",
}
LOOKS: Final = (
    Look(name="light"),
    *(
        Look(name=name, media=media, rules=OF_COLOUR, kind="rule")
        for name, media in (
            ("dark", {"color_scheme": "dark"}),
            ("more contrast", {"contrast": "more"}),
            ("more contrast, dark", {"contrast": "more", "color_scheme": "dark"}),
            ("forced colours", {"forced_colors": "active"}),
        )
    ),
)


def violations(page: Page) -> Iterator[str]:
    """Yield what breaks a rule on the open page, by width and look."""
    page.evaluate(AXE_SCRIPT)
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        for look in LOOKS:
            page.emulate_media(**{**PLAIN, **look.media})
            for each in page.evaluate(RUN, {"type": look.kind, "values": list(look.rules)}):
                yield (
                    f"{each['rule']} {width} {look.name}: {page.url}: "
                    f"{each['where']} {each['html']} {each['why']}"
                )
    page.emulate_media(**PLAIN)
