// Requests to the service. Trouble that may pass is Unreachable; a Refusal is final and carries the service's words.
const PATIENCE_MS = 45_000;
const MAY_PASS = new Set([401, 408, 425, 429]);

export class Unreachable extends Error {}
export class Refusal extends Error {}

export const get = (path) => request(path, {});

export const post = (path, body, headers = {}) => write("POST", path, body, headers);
export const put = (path, body) => write("PUT", path, body);

function write(method, path, body, headers = {}) {
  return request(path, { method, headers: { "Content-Type": "application/json", ...headers }, body: JSON.stringify(body) });
}

// For a page that is going away: nobody reads the answer.
export function postLast(path, body) {
  const headers = { "Content-Type": "application/json" };
  fetch(path, { method: "POST", headers, body: JSON.stringify(body), keepalive: true }).catch(() => {});
}

async function request(path, options) {
  const [response, content] = await answer(path, options);
  if (response.ok) return content;
  if (response.status >= 500 || MAY_PASS.has(response.status)) throw new Unreachable(content.detail);
  throw new Refusal(content.detail);
}

async function answer(path, options) {
  try {
    const response = await fetch(path, { ...options, signal: AbortSignal.timeout(PATIENCE_MS) });
    return [response, await response.json()];
  } catch (error) {
    throw new Unreachable(error.message);
  }
}
