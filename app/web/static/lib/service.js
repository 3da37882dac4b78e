// @ts-check
// Requests to the service; nothing else fetches.
import { NO_ANSWER, unusable } from "./texts/common.js";

const PATIENCE_MS = 45_000;
const MAY_PASS = new Set([401, 408, 425, 429]);
const NO_CONTENT = 204;
const JSON_TYPE = { "Content-Type": "application/json" };

/** Trouble that may pass: no answer, or one to try again after. */
export class Unreachable extends Error {
  /**
   * @param {string} message
   * @param {number} [status] of the answer, where there was one
   */
  constructor(message, status) {
    super(message);
    this.status = status;
  }
}

/** A final no in the service's words, and where in the body they belong. */
export class Refusal extends Error {
  /** @param {Pick<Contract.Problem, "detail" | "errors">} problem */
  constructor({ detail, errors }) {
    super(detail);
    this.errors = errors ?? [];
  }
}

/**
 * Options of a request. A signal ends it, in place of the limit on its time; null lets it take as long as it takes.
 * @typedef {{ headers?: Record<string, string>, signal?: AbortSignal | null }} Options
 */

/**
 * @param {string} path
 * @param {Options} [options]
 */
export const get = (path, options) => request(path, { ...options });

/**
 * The text of an answer, such as CSV; it throws what `get` throws.
 * @param {string} path
 * @param {Options} [options]
 */
export async function getText(path, options) {
  const { ok, status, body } = await exchange(path, { ...options });
  if (!ok) throw problemOf(status, parsed(body));
  return body;
}

/**
 * @param {string} path
 * @param {object} body
 */
export const put = (path, body) => request(path, { method: "PUT", headers: JSON_TYPE, body: JSON.stringify(body) });

/**
 * @param {string} path
 * @param {object} body
 */
export const patch = (path, body) => request(path, { method: "PATCH", headers: JSON_TYPE, body: JSON.stringify(body) });

/** @param {string} path */
export const remove = (path) => request(path, { method: "DELETE" });

/**
 * @param {string} path
 * @param {object} body
 * @param {Options} [options]
 */
export function post(path, body, { headers, ...options } = {}) {
  const content = { headers: { ...JSON_TYPE, ...headers }, body: JSON.stringify(body) };
  return request(path, { method: "POST", ...content, ...options });
}

/**
 * Posts the contents of a file, however long that takes.
 * @param {string} path
 * @param {string | ArrayBuffer} contents
 */
export function upload(path, contents) {
  const headers = { "Content-Type": "application/octet-stream" };
  return request(path, { method: "POST", headers, body: contents, signal: null });
}

/**
 * Posts for a page that is going away: nobody reads the answer.
 * @param {string} path
 * @param {object} body
 */
export function postLast(path, body) {
  fetch(path, { method: "POST", headers: JSON_TYPE, body: JSON.stringify(body), keepalive: true }).catch(() => {});
}

/**
 * Another page of the service.
 * @param {string} path
 */
export async function getPage(path) {
  const { status, body } = await exchange(path, {});
  if (status !== 200) throw new Unreachable(unusable(status), status);
  return new DOMParser().parseFromString(body, "text/html");
}

/**
 * The JSON of an answer. Throws Unreachable, Refusal, and an AbortError where the caller's signal ended the request.
 * @param {string} path
 * @param {RequestInit} options
 * @returns {Promise<any>}
 */
async function request(path, options) {
  const { ok, status, body } = await exchange(path, options);
  const content = status === NO_CONTENT ? null : parsed(body);
  if (ok && content !== undefined) return content;
  throw problemOf(status, content);
}

/**
 * @param {number} status
 * @param {any} content undefined where the body was no JSON
 */
function problemOf(status, content) {
  const message = content?.detail ?? unusable(status);
  if (content === undefined || status >= 500 || MAY_PASS.has(status)) return new Unreachable(message, status);
  return new Refusal({ detail: message, errors: content.errors });
}

/**
 * @param {string} path
 * @param {RequestInit} options
 */
async function exchange(path, { signal = AbortSignal.timeout(PATIENCE_MS), ...options }) {
  try {
    const response = await fetch(path, { ...options, signal });
    return { ok: response.ok, status: response.status, body: await response.text() };
  } catch (error) {
    if (signal?.aborted && error instanceof DOMException && error.name === "AbortError") throw error;
    throw new Unreachable(NO_ANSWER);
  }
}

/** @param {string} body */
function parsed(body) {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
