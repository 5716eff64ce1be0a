// Requests for evidence: a stub chooses what is asked of whom; without a script its address does.

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
