// What became of a form that a script sent: done, or why not, in words and with the way on.

const DONE = 204;

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
