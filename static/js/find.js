// The box that finds: `/` goes to it, arrows choose, Enter opens, Escape leaves. Without this it is a form.

const box = document.querySelector("[data-find]");
const input = box?.querySelector("input");
const list = document.getElementById("find-list");

const options = () => [...list.querySelectorAll("[role=option]")];

function choose(option) {
  for (const each of options()) each.setAttribute("aria-selected", String(each === option));
  if (!option) return input.removeAttribute("aria-activedescendant");
  input.setAttribute("aria-activedescendant", option.id);
  option.scrollIntoView({ block: "nearest" });
}

function open(isOpen) {
  list.hidden = !isOpen;
  input.setAttribute("aria-expanded", String(isOpen));
  if (!isOpen) choose(null);
}

function step(direction) {
  const all = options();
  if (!all.length) return;
  const at = all.findIndex((each) => each.getAttribute("aria-selected") === "true");
  choose(all[(at + direction + all.length + (at < 0 && direction < 0 ? 1 : 0)) % all.length]);
}

function onKey(event) {
  if (event.isComposing) return;
  const chosen = list.querySelector("[aria-selected=true]");
  if (event.key === "ArrowDown" || event.key === "ArrowUp") {
    event.preventDefault();
    open(options().length > 0);
    step(event.key === "ArrowDown" ? 1 : -1);
  } else if (event.key === "Enter" && chosen && !list.hidden) {
    event.preventDefault();
    chosen.click();
  } else if (event.key === "Escape") {
    if (list.hidden) input.blur();
    open(false);
  }
}

function onShown() {
  const isWanted = input.value.trim() !== "" && document.activeElement === input;
  open(isWanted && list.childElementCount > 0);
  const count = options().length;
  box.querySelector("[data-find-count]").textContent = isWanted && count ? String(count) : "";
}

function focusByKey(event) {
  if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.closest("input, textarea, select, [contenteditable]")) return;
  event.preventDefault();
  input.focus();
  input.select();
}

if (input && list) {
  input.addEventListener("keydown", onKey);
  input.addEventListener("input", () => { if (!input.value.trim()) open(false); });
  list.addEventListener("htmx:afterSwap", onShown);
  // An answer that comes after all was deleted or sent off is none.
  list.addEventListener("htmx:beforeSwap", (event) => { event.detail.shouldSwap &&= input.value.trim() !== ""; });
  document.addEventListener("keydown", focusByKey);
  document.addEventListener("click", (event) => { if (!box.contains(event.target)) open(false); });
  box.addEventListener("focusout", (event) => { if (event.relatedTarget && !box.contains(event.relatedTarget)) open(false); });
}
