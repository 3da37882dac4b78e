// Whoever judges on a page is a person, unless something was said of that judge before.
import { get, put } from "./service.js";

let introduced = null;

// For a judge who holds a pair, whom the service knows therefore.
export async function introduce(name) {
  if (introduced === name) return;
  introduced = name;
  const path = `/v1/judges/${encodeURIComponent(name)}`;
  const known = await get(path);
  if ([known.kind, known.model, known.cost_per_1000].every((said) => said === null)) await put(path, { kind: "human" });
}
