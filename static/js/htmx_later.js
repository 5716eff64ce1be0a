// htmx comes with the first touch of what asks by it: most who read a page never do.

const source = document.querySelector("meta[name=htmx-later]")?.content;
const ASKING = "[hx-get], [hx-post]";
let coming;

// It reads its settings once the document is complete, and not at all if it comes shortly before.
const complete = () => document.readyState === "complete"
  ? Promise.resolve() : new Promise((done) => addEventListener("load", done, { once: true }));

function brought() {
  coming ??= complete().then(() => new Promise((done) => {
    const script = document.createElement("script");
    script.src = source;
    script.onload = script.onerror = done;
    document.head.append(script);
  }));
  return coming;
}

for (const kind of ["pointerover", "focusin"]) {
  document.addEventListener(kind, (event) => { if (event.target.closest?.(ASKING)) brought(); }, { passive: true });
}

// What was done before it came is done again; without it a link is a link.
document.addEventListener("click", async (event) => {
  const asking = event.target.closest?.("a[hx-get]");
  if (window.htmx || !asking || event.button || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  await brought();
  if (window.htmx) asking.click();
  else location.assign(asking.href);
}, { capture: true });

let latest; // of what was typed while it came, only the last is asked for
document.addEventListener("input", async (event) => {
  const field = event.target;
  if (window.htmx || !field.matches(ASKING)) return;
  latest = event;
  await brought();
  if (event === latest) window.htmx?.ajax("GET", field.getAttribute("hx-get"), { source: field });
});
