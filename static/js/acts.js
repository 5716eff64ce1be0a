// What people do on an incident's page is sent from where it stands: their page changes as the others' do.

import { clearUnsent, isDone, post, tellUnsent } from "./unsent.js";

const SOON = 1000; // should the stream be late
const LATE = 205; // something came first: the page that is loaded says what
const REFUSED = 422; // nothing was done: sent without a script its page says why

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
