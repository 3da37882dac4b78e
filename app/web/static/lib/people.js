// @ts-check
// Whoever judges on a page is a person, unless something was said of that judge before.
import { get, put } from "./service.js";

let introduced = "";

/**
 * Introduces a judge who holds a pair, whom the service knows therefore.
 * @param {string} name
 */
export async function introduce(name) {
  if (introduced === name) return;
  introduced = name;
  const path = `/v1/judges/${encodeURIComponent(name)}`;
  /** @type {Contract.JudgeOut} */
  const { kind, model, cost_per_1000, repeats } = await get(path);
  if ([kind, model, cost_per_1000, repeats ?? null].every((fact) => fact === null)) await put(path, { kind: "human" });
}
