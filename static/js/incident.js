// What is being written on an incident's page stays, and its buttons name who will read it.

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

export function tellAudience(form) {
  const named = [...form.querySelectorAll("input[name=audience]:checked")].map((box) => box.dataset.name);
  const all = form.querySelector("[data-all]");
  const everyone = [...form.querySelectorAll("input[name=audience]")].map((box) => box.dataset.name);
  const names = all?.checked ? everyone : named;
  const send = form.querySelector("[data-audience-send]");
  const note = form.querySelector("[data-audience-note]");
  send.textContent = names.length ? `${send.dataset.named} ${join(names, send.dataset.and)}` : send.dataset.alone;
  if (!note) return;
  const said = join(names, note.dataset.and ?? send.dataset.and);
  note.textContent = names.length ? note.dataset.named.replace("{names}", () => said) : note.dataset.alone;
}

function join(names, and) {
  if (names.length < 2) return names.join("");
  return `${names.slice(0, -1).join(", ")} ${and} ${names.at(-1)}`;
}

document.addEventListener("change", (event) => {
  const form = event.target.closest("form[data-audience]");
  if (form) tellAudience(form);
});

// A stub chooses what evidence is asked of whom; without a script its address does.
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
