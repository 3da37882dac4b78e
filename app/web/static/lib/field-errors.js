// Messages beside what they are about: NAME-error belongs to NAME, which may be a field.
export function showMessage(name, message) {
  const place = document.getElementById(`${name}-error`);
  place.textContent = message;
  place.hidden = false;
  return place;
}

export function showError(name, message) {
  showMessage(name, message);
  document.getElementById(name).setAttribute("aria-invalid", "true");
}

export function clearErrors(...names) {
  for (const name of names) {
    document.getElementById(`${name}-error`).hidden = true;
    document.getElementById(name)?.removeAttribute("aria-invalid");
  }
}

// Whether there is one.
export function focusFirstError(form) {
  const field = form.querySelector("[aria-invalid]");
  field?.closest("details")?.setAttribute("open", "");
  field?.focus();
  return Boolean(field);
}
