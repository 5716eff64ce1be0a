// A log that is scrolled through in both directions. The server sends stretches; a few of them stay in the page.

const MOST_PARTS = 6;
const box = document.getElementById("log-lines");
const parts = () => [...box.querySelectorAll(":scope > .log-part")];

// Between stretches the links lead to what is there already; at the ends they lead on.
function joinParts() {
  const all = parts();
  all.forEach((part, index) => {
    if (index > 0) part.querySelector("[data-older]")?.remove();
    if (index < all.length - 1) part.querySelector("[data-newer]")?.remove();
  });
}

// A stretch that goes leaves the way back to it at its neighbour's end.
function dropFar(isOlderAdded) {
  while (parts().length > MOST_PARTS) {
    const all = parts();
    const gone = isOlderAdded ? all.at(-1) : all[0];
    const next = isOlderAdded ? all.at(-2) : all[1];
    const first = gone.querySelector(".log-line")?.id.slice(5);
    const last = [...gone.querySelectorAll(".log-line")].at(-1)?.id.slice(5);
    const height = box.scrollHeight;
    gone.remove();
    if (!isOlderAdded) box.scrollTop -= height - box.scrollHeight;
    if (first && last) next.append(wayBack(isOlderAdded, isOlderAdded ? `?from=${first}` : `?before=${Number(last) + 1}`));
    if (!isOlderAdded) next.prepend(next.lastElementChild);
  }
}

function wayBack(isNewer, query) {
  const link = document.createElement("a");
  link.className = "log-more";
  link.href = query;
  link.dataset[isNewer ? "newer" : "older"] = "";
  link.textContent = isNewer ? box.dataset.newer : box.dataset.older;
  link.setAttribute("hx-get", query);
  link.setAttribute("hx-target", "#log-lines");
  link.setAttribute("hx-swap", isNewer ? "beforeend" : "afterbegin");
  window.htmx.process(link);
  return link;
}

let isLoading = false;
let heightBefore = 0;
let isOlder = false;

function onScroll() {
  if (isLoading) return;
  const reach = box.clientHeight;
  if (box.scrollTop < reach) load(box.querySelector("[data-older]"));
  if (!isLoading && box.scrollHeight - box.scrollTop - box.clientHeight < reach) load(box.querySelector("[data-newer]"));
}

function load(link) {
  if (!link) return;
  isLoading = true;
  link.click();
}

if (box && window.htmx) {
  box.addEventListener("htmx:beforeSwap", () => { heightBefore = box.scrollHeight; });
  box.addEventListener("htmx:beforeRequest", (event) => { isOlder = "older" in event.target.dataset; isLoading = true; });
  box.addEventListener("htmx:afterSwap", () => {
    joinParts();
    if (isOlder) box.scrollTop += box.scrollHeight - heightBefore;
    dropFar(isOlder);
  });
  // Only then do new links ask for a stretch; before, they would lead to another page.
  box.addEventListener("htmx:afterSettle", () => { isLoading = false; });
  for (const name of ["htmx:responseError", "htmx:sendError"]) box.addEventListener(name, () => { isLoading = false; });
  const asked = box.querySelector("[aria-current]");
  if (asked) asked.scrollIntoView({ block: "center" });
  else if (!new URLSearchParams(location.search).has("from")) box.scrollTop = box.scrollHeight;
  box.addEventListener("scroll", onScroll, { passive: true });
}

document.querySelector("[data-copy-lines]")?.addEventListener("click", (event) => {
  const button = event.currentTarget;
  const label = button.textContent;
  const text = [...document.querySelectorAll(".log-line code")].map((each) => each.textContent).join("\n");
  navigator.clipboard.writeText(text).then(() => {
    button.textContent = button.dataset.done;
    setTimeout(() => { button.textContent = label; }, 1600);
  });
});
