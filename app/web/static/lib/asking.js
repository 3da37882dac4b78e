// Requests whose answer a person waits for. A Refusal carries the service's words, and where in the body they belong.
export class Refusal extends Error {
  constructor({ detail, errors = [] }) {
    super(detail);
    this.errors = errors;
  }
}

export async function post(path, body, headers) {
  const response = await fetch(path, { method: "POST", headers, body }).catch(() => null);
  if (response === null) throw new Error("The service does not answer. Try again.");
  const answer = await response.json().catch(() => ({ detail: `The service answered ${response.status}. Try again.` }));
  if (!response.ok) throw new Refusal(answer);
  return answer;
}
