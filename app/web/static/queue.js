// Requests that must arrive once each. They stay in localStorage, one entry each so that two tabs never overwrite each
// other, until the service has answered; their Idempotency-Key makes sending one again harmless.
import { Backoff } from "./backoff.js";
import { randomId } from "./ids.js";
import { Unreachable, post } from "./service.js";

const PREFIX = "nextpair.waiting.";

export function waiting() {
  const names = Object.keys(localStorage).filter((name) => name.startsWith(PREFIX));
  return names.map((name) => JSON.parse(localStorage.getItem(name))).sort((a, b) => a.made - b.made);
}

export class Queue {
  #running = false;
  offline = false;

  constructor(listeners) {
    Object.assign(this, listeners); // onAnswer, onRefusal, onChange, onEmpty
  }

  // The key by which onAnswer and onRefusal will know this request.
  add(path, body) {
    const entry = { key: randomId(), made: Date.now(), path, body };
    localStorage.setItem(PREFIX + entry.key, JSON.stringify(entry));
    this.onChange();
    this.run();
    return entry.key;
  }

  async run() {
    if (this.#running) return;
    this.#running = true;
    const backoff = new Backoff();
    for (let entry = waiting()[0]; entry; entry = waiting()[0]) {
      this.offline = !(await this.#deliver(entry));
      this.onChange();
      if (this.offline) await backoff.wait();
      else backoff.reset();
    }
    this.#running = false;
    this.onEmpty();
  }

  async #deliver(entry) {
    try {
      this.#done(entry, await post(entry.path, entry.body, { "Idempotency-Key": entry.key }), this.onAnswer);
    } catch (error) {
      if (error instanceof Unreachable) return false;
      this.#done(entry, error, this.onRefusal);
    }
    return true;
  }

  #done(entry, outcome, tell) {
    localStorage.removeItem(PREFIX + entry.key);
    tell(entry, outcome);
  }
}
