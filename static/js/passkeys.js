// Passkeys: the browser makes one or signs with it, and the form around the button takes what it signed.

const bytes = (text) => {
  const plain = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(plain, (letter) => letter.charCodeAt(0));
};
const text = (buffer) => {
  const plain = Array.from(new Uint8Array(buffer), (byte) => String.fromCharCode(byte)).join("");
  return btoa(plain).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
};
const withIds = (list) => (list ?? []).map((each) => ({ ...each, id: bytes(each.id) }));

// Alone, in place of the password, it has to know its owner and ask for a finger, a face or a PIN.
function chosen(options, isAlone) {
  if (!isAlone) return options.authenticatorSelection;
  return { ...options.authenticatorSelection, residentKey: "required", requireResidentKey: true, userVerification: "required" };
}

function make(options, form) {
  return navigator.credentials.create({
    publicKey: {
      ...options,
      challenge: bytes(options.challenge),
      user: { ...options.user, id: bytes(options.user.id) },
      excludeCredentials: withIds(options.excludeCredentials),
      authenticatorSelection: chosen(options, form.elements.passwordless?.checked),
    },
  });
}

function sign(options) {
  return navigator.credentials.get({
    publicKey: { ...options, challenge: bytes(options.challenge), allowCredentials: withIds(options.allowCredentials) },
  });
}

function written(credential) {
  const response = {};
  for (const name of ["clientDataJSON", "attestationObject", "authenticatorData", "signature", "userHandle"]) {
    if (credential.response[name]) response[name] = text(credential.response[name]);
  }
  return JSON.stringify({
    id: credential.id,
    rawId: text(credential.rawId),
    type: credential.type,
    response,
    clientExtensionResults: credential.getClientExtensionResults(),
  });
}

// At the door nobody is known yet: what is to be signed is fetched when it is wanted.
async function optionsOf(form) {
  if (form.dataset.options) return JSON.parse(form.dataset.options).publicKey;
  const answer = await fetch(form.action, { headers: { Accept: "application/json" } });
  if (!answer.ok) throw new Error(`${answer.status}`);
  return (await answer.json()).request_options.publicKey;
}

function say(form, words) {
  const said = form.querySelector("[data-said]");
  said.textContent = words;
  said.hidden = !words;
}

function wordsOf(form, error) {
  if (error.name === "InvalidStateError") return form.dataset.exists;
  if (error.name === "SecurityError") return form.dataset.elsewhere;
  if (error.name === "NotAllowedError" || error.name === "AbortError") return form.dataset.cancelled;
  return form.dataset.failed;
}

async function use(form) {
  const button = form.querySelector("[data-passkey-button]");
  button.disabled = true;
  say(form, "");
  try {
    const options = await optionsOf(form);
    const credential = await (form.dataset.passkey === "make" ? make(options, form) : sign(options));
    form.elements.credential.value = written(credential);
    form.submit();
  } catch (error) {
    say(form, wordsOf(form, error));
    button.disabled = false;
  }
}

for (const form of document.querySelectorAll("form[data-passkey]")) {
  if (!window.PublicKeyCredential) continue; // its words for browsers without stay
  form.querySelector("[data-without]").hidden = true;
  form.querySelector("[data-with]").hidden = false;
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    use(form);
  });
}
