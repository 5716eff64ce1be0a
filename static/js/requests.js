// Requests for evidence while a page is open: what is granted appears, what is revoked goes.

const PARTS = ["metrics-part", "hypotheses-part", "timeline-part"];
const card = () => document.querySelector("[data-requests]");

// A stub chooses what is asked of whom; without a script its address does.
document.addEventListener("click", (event) => {
  const stub = event.target.closest("[data-ask-of]");
  const form = document.querySelector("#ask form");
  if (!stub || !form) return;
  event.preventDefault();
  form.elements.holder.value = stub.dataset.askOf;
  form.elements.data.value = stub.dataset.askFor;
  form.closest("details").open = true;
  form.elements.reason.focus();
});

// Figures need their library only once there is one.
function draw() {
  if (!document.querySelector("#metrics-part [data-figure]")) return;
  if (window.Plotly) {
    document.dispatchEvent(new Event("htmx:afterSettle"));
    return;
  }
  const script = document.createElement("script");
  script.src = card().dataset.plotly;
  script.addEventListener("load", () => import(card().dataset.panels));
  document.head.append(script);
}

const isWritten = (part) => part.contains(document.activeElement) && document.activeElement.matches("input, textarea, select");

function merge(answer) {
  const list = document.getElementById("requests-list");
  const fresh = answer.querySelector("#requests-list");
  if (list && fresh && !isWritten(list)) {
    list.replaceWith(fresh);
    const told = answer.querySelector("[data-requests]");
    card().dataset.mark = told.dataset.mark;
    card().hidden = told.hidden;
  }
  for (const id of PARTS) {
    const shown = document.getElementById(id);
    const part = answer.querySelector(`#${id}`);
    if (shown && part) shown.replaceWith(part);
  }
  window.htmx?.process(document.getElementById("hypotheses-part"));
  draw();
}

let isAsking = false;
let isOwed = false;
async function ask() {
  if (document.hidden || !card()) return;
  if (isAsking) {
    isOwed = true;
    return;
  }
  isAsking = true;
  try {
    const query = new URLSearchParams({ seen: card().dataset.mark });
    const response = await fetch(`${card().dataset.changes}?${query}`, { headers: { "HX-Request": "true" } });
    if (response.status === 200) {
      const parsed = new DOMParser().parseFromString(await response.text(), "text/html");
      merge(parsed.getElementById("requests-answer"));
    }
  } catch {
    // The network is away: the next change tells.
  }
  isAsking = false;
  if (isOwed) {
    isOwed = false;
    ask();
  }
}

document.addEventListener("portal:incident", ask);
