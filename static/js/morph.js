// Makes a part of a page what a fresh copy of it says, and leaves alone what somebody writes in.

const FREE = "[data-figure], .log-context, [data-kept]"; // drawn or loaded here, or kept by somebody else
const SAME = "[data-same]"; // in a fresh copy: it was left out there, for nothing of it changed
const DRAWN = ".chosen, .hair"; // on the timeline, by who reads it
const LEFT = new Set(["open"]); // whoever opened something leaves it open

const isChanged = (field) => {
  if (field.type === "checkbox" || field.type === "radio") return field.checked !== field.defaultChecked;
  if (field.tagName !== "SELECT") return field.value !== field.defaultValue;
  const chosen = [...field.options].findIndex((option) => option.defaultSelected);
  return field.selectedIndex !== Math.max(chosen, 0);
};

// Whether somebody writes in a form, or has written and not sent it.
export const isDirty = (form) =>
  form.contains(document.activeElement?.closest("input, textarea, select")) ||
  [...form.querySelectorAll("input:not([type=hidden]), textarea, select")].some(isChanged);

const isElement = (node) => node.nodeType === Node.ELEMENT_NODE;

// Returns by what an element is known again: a form by where it leads, what unfolds by the form in it.
function keyOf(node) {
  if (!isElement(node)) return "";
  const form = node.matches("details") ? node.querySelector("form") : node;
  return node.id || node.dataset.key || form?.getAttribute("action") || "";
}

const isAlike = (one, other) => one.nodeName === other.nodeName && keyOf(one) === keyOf(other);

// Returns which of the shown siblings, from one on, a fresh node is the next state of.
function counterpart(from, fresh) {
  if (from && isAlike(from, fresh)) return from;
  if (!isElement(fresh)) return null; // no element goes for the sake of a space behind it
  for (let node = from; node; node = node.nextSibling) {
    if (keyOf(fresh) ? isAlike(node, fresh) : node.isEqualNode(fresh)) return node;
  }
  return null;
}

function attributes(shown, fresh) {
  for (const { name } of [...shown.attributes]) {
    if (!fresh.hasAttribute(name) && !LEFT.has(name)) shown.removeAttribute(name);
  }
  for (const { name, value } of fresh.attributes) {
    if (shown.getAttribute(name) !== value && !LEFT.has(name)) shown.setAttribute(name, value);
  }
}

function children(shown, fresh, rules) {
  let at = shown.firstChild;
  for (const next of [...fresh.childNodes]) {
    const found = counterpart(at, next);
    if (!found) {
      shown.insertBefore(next, at);
      continue;
    }
    while (at !== found) at = dropped(at, rules);
    at = found.nextSibling;
    morph(found, next, rules);
  }
  while (at) at = dropped(at, rules);
}

// Takes out what is no more, unless somebody writes in it; returns what follows.
function dropped(node, rules) {
  const next = node.nextSibling;
  if (!isElement(node)) node.remove();
  else if (rules.isWritten(node)) rules.outdate(node);
  else if (!node.matches(DRAWN)) node.remove();
  return next;
}

// `rules`: isWritten(element) says whether somebody writes in it, outdate(element) marks what is no more.
export function morph(shown, fresh, rules) {
  if (!isElement(shown)) {
    if (shown.data !== fresh.data) shown.data = fresh.data;
    return;
  }
  if (shown.isEqualNode(fresh) || shown.matches(FREE) || fresh.matches(SAME)) return;
  if (shown.matches("form") && rules.isWritten(shown)) return;
  attributes(shown, fresh);
  children(shown, fresh, rules);
}
