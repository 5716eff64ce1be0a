// What people do on an incident's page is sent from where it stands: their page changes as the others' do.

const DONE = 204;
const SOON = 1000; // should the stream be late
const LATE = 205; // something came first: the page that is loaded says what
const REFUSED = 422; // nothing was done: sent without a script its page says why

// A redirect is not followed: where it leads may answer what a form that was done answers.
export async function post(form, { address = form.action, button = null } = {}) {
  try {
    const body = new FormData(form, button);
    return await fetch(address, { method: "POST", body, headers: { "HX-Request": "true" }, redirect: "manual" });
  } catch {
    return null; // the network is away
  }
}

const wayOf = (answer) => answer?.headers.get("HX-Redirect") ?? "";

// Only an answer that leads nowhere else counts: with another one nothing was written.
export const isDone = (answer) => answer?.status === DONE && !wayOf(answer);

function reasonOf(answer, words) {
  const way = wayOf(answer);
  if (answer?.status === 403 && way) return [words.needsFactor, words.setUp, way];
  if (answer?.status === 403) return [words.tooOld, words.again, location.href];
  if (answer?.status === 404) return [words.closed, words.again, location.href];
  return [words.failed];
}

// What was typed stays, and who reads why decides what to do with it.
export function tellUnsent(form, answer) {
  const [text, label, way] = reasonOf(answer, document.getElementById("notes")?.dataset ?? {});
  clearUnsent(form);
  const said = document.createElement("p");
  said.className = "message message-bad";
  said.dataset.unsent = "";
  said.setAttribute("role", "alert");
  said.textContent = text ?? "";
  if (way) {
    const link = document.createElement("a");
    link.className = "text-link";
    link.href = way;
    link.textContent = label;
    said.append(" ", link);
  }
  form.append(said);
}

export const clearUnsent = (form) => form.querySelector("[data-unsent]")?.remove();

const ask = () => document.dispatchEvent(new CustomEvent("portal:incident", { detail: { isAct: true } }));

function done(form) {
  form.reset();
  clearUnsent(form);
  const around = form.closest("details");
  if (around) around.open = false;
  document.activeElement?.blur();
  const isLive = document.querySelector("[data-live-state]")?.dataset.state === "live";
  setTimeout(ask, isLive ? SOON : 0);
}

function resend(form, button) {
  form.dataset.plain = "";
  form.requestSubmit(button);
}

async function send(form, button) {
  form.dataset.sending = "";
  const answer = await post(form, { button });
  delete form.dataset.sending;
  if (isDone(answer)) done(form);
  else if (answer?.status === REFUSED) resend(form, button);
  else if (answer?.status === LATE) location.reload();
  else tellUnsent(form, answer);
}

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (!form.matches("form[data-act]") || "plain" in form.dataset) return;
  event.preventDefault();
  if (!("sending" in form.dataset)) send(form, event.submitter);
}, { capture: true });
