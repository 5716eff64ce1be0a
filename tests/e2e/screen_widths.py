"""What of a page is wider than its screen."""

from typing import Final

WIDTHS: Final = (1280, 390)
# What sticks out and can't be scrolled to by itself: what stands in a box that scrolls may.
TOO_WIDE: Final = """() => {
  const room = document.documentElement.clientWidth;
  const isHeld = (each) => each && (
    each !== document.body && each !== document.documentElement
      && getComputedStyle(each).overflowX !== "visible" || isHeld(each.parentElement));
  const found = [...document.querySelectorAll("body *")].filter((each) =>
    each.getBoundingClientRect().right > room + 1 && each.getBoundingClientRect().width > 0
      && !isHeld(each.parentElement));
  const over = document.documentElement.scrollWidth - room;
  return over > 0 || found.length ? [`${over} px`, ...found.slice(0, 3).map((each) =>
    `${each.tagName}.${each.getAttribute("class")} ${each.textContent.trim().slice(0, 30)}`)] : [];
}"""
