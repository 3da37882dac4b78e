// What every page of a set needs: its address, its answers, its errors, elements made of text only.
export const set = document.getElementById("page").dataset.set;
const LONGEST = 60; // tries while the server computes

export function address(path, values = {}) {
  const given = Object.entries(values).filter(([, value]) => value !== undefined && value !== null);
  const query = new URLSearchParams(given).toString();
  return `/v1/sets/${set}${path}${query ? `?${query}` : ""}`;
}

// The answer, waiting while the server says that it is computing; `said` hears how far it is.
export async function get(path, values = {}, said = () => {}, signal = undefined) {
  for (let n = 0; n < LONGEST; n += 1) {
    const answer = await fetch(address(path, values), { signal });
    const body = await answer.json();
    if (answer.ok) return body;
    if (answer.status !== 425) throw new Error(body.detail || answer.statusText);
    said(body.detail);
    await new Promise((again) => { setTimeout(again, 1000); });
  }
  throw new Error("The server is still computing. Load the page again later.");
}

// A signal for every new question about one thing. It withdraws the question before, whose answer would come too late.
export function questions() {
  let asking = new AbortController();
  return () => {
    asking.abort();
    asking = new AbortController();
    return asking.signal;
  };
}

// What went wrong, or null; a question that was withdrawn is nothing wrong.
export function problem(error) {
  if (error?.name === "AbortError") return;
  const place = document.getElementById("problem");
  place.hidden = !error;
  place.textContent = error ? error.message : "";
}

export function element(name, values = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(values)) {
    if (key in made) made[key] = value; else made.setAttribute(key, value);
  }
  made.append(...children);
  return made;
}
