// @ts-check
// Requests that must arrive once each. They stay in localStorage, one entry each so that two tabs never overwrite each
// other, until the service has answered; their Idempotency-Key makes sending one again harmless.
import { Backoff } from "./backoff.js";
import { randomId } from "./ids.js";
import { Unreachable, post } from "./service.js";

const PREFIX = "nextpair.waiting.";
const CHANNEL = "nextpair.delivered";

/**
 * A request, and when it was made in milliseconds since 1970.
 * @typedef {{ key: string, made: number, path: string, body: object }} Entry
 */

/**
 * Who hears of requests of this page; another tab may be the one to deliver them.
 * @typedef {object} Listeners
 * @property {(entry: Entry, answer: any) => void} onAnswer
 * @property {(entry: Entry, refusal: { message: string }) => void} onRefusal
 * @property {() => void} onChange
 * @property {() => void} onEmpty
 */

/** @typedef {{ entry: Entry, listener: "onAnswer" | "onRefusal", outcome: any }} Delivery */

/**
 * All requests not yet answered, of every tab, the oldest first.
 * @returns {Entry[]}
 */
export function waiting() {
  const names = Object.keys(localStorage).filter((name) => name.startsWith(PREFIX));
  const entries = names.map((name) => /** @type {Entry} */ (JSON.parse(localStorage.getItem(name) ?? "null")));
  return entries.sort((a, b) => a.made - b.made);
}

export class Queue {
  #listeners;
  #running = false;
  #mine = new Set(); // keys of the requests of this page
  #tabs = new BroadcastChannel(CHANNEL);
  offline = false;

  /** @param {Listeners} listeners */
  constructor(listeners) {
    this.#listeners = listeners;
    this.#tabs.addEventListener("message", ({ data }) => this.#hear(data));
  }

  /**
   * Returns the key by which onAnswer and onRefusal will know this request.
   * @param {string} path
   * @param {object} body
   */
  add(path, body) {
    const entry = { key: randomId(), made: Date.now(), path, body };
    this.#mine.add(entry.key);
    localStorage.setItem(PREFIX + entry.key, JSON.stringify(entry));
    this.#listeners.onChange();
    this.run();
    return entry.key;
  }

  async run() {
    if (this.#running) return;
    this.#running = true;
    const backoff = new Backoff();
    for (let entry = waiting()[0]; entry; entry = waiting()[0]) {
      this.offline = !(await this.#deliver(entry));
      this.#listeners.onChange();
      if (this.offline) await backoff.wait();
      else backoff.reset();
    }
    this.#running = false;
    this.#listeners.onChange(); // another tab may have delivered the last one
    this.#listeners.onEmpty();
  }

  /**
   * Whether the service has answered.
   * @param {Entry} entry
   */
  async #deliver(entry) {
    try {
      const answer = await post(entry.path, entry.body, { headers: { "Idempotency-Key": entry.key } });
      this.#finish({ entry, listener: "onAnswer", outcome: answer });
    } catch (error) {
      if (error instanceof Unreachable) return false;
      const message = error instanceof Error ? error.message : String(error);
      this.#finish({ entry, listener: "onRefusal", outcome: { message } });
    }
    return true;
  }

  /** @param {Delivery} delivery */
  #finish(delivery) {
    localStorage.removeItem(PREFIX + delivery.entry.key);
    this.#tabs.postMessage(delivery);
    this.#listeners[delivery.listener](delivery.entry, delivery.outcome);
  }

  /** @param {Delivery} delivery of another tab */
  #hear({ entry, listener, outcome }) {
    if (this.#mine.has(entry.key)) this.#listeners[listener](entry, outcome);
    this.#listeners.onChange();
  }
}
