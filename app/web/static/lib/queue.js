// Requests that must arrive once each. They stay in localStorage, one entry each so that two tabs never overwrite each
// other, until the service has answered; their Idempotency-Key makes sending one again harmless.
import { Backoff } from "./backoff.js";
import { randomId } from "./ids.js";
import { Unreachable, post } from "./service.js";

const PREFIX = "nextpair.waiting.";
const CHANNEL = "nextpair.delivered";

export function waiting() {
  const names = Object.keys(localStorage).filter((name) => name.startsWith(PREFIX));
  return names.map((name) => JSON.parse(localStorage.getItem(name))).sort((a, b) => a.made - b.made);
}

export class Queue {
  #running = false;
  #mine = new Set(); // keys of the requests of this page; another tab may deliver them
  #tabs = new BroadcastChannel(CHANNEL);
  offline = false;

  constructor(listeners) {
    Object.assign(this, listeners); // onAnswer, onRefusal, onChange, onEmpty
    this.#tabs.addEventListener("message", ({ data }) => {
      if (this.#mine.has(data.entry.key)) this[data.listener](data.entry, data.outcome);
      this.onChange();
    });
  }

  // The key by which onAnswer and onRefusal will know this request.
  add(path, body) {
    const entry = { key: randomId(), made: Date.now(), path, body };
    this.#mine.add(entry.key);
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
      this.#done(entry, "onAnswer", await post(entry.path, entry.body, { "Idempotency-Key": entry.key }));
    } catch (error) {
      if (error instanceof Unreachable) return false;
      this.#done(entry, "onRefusal", { message: error.message });
    }
    return true;
  }

  #done(entry, listener, outcome) {
    localStorage.removeItem(PREFIX + entry.key);
    this.#tabs.postMessage({ entry, listener, outcome });
    this[listener](entry, outcome);
  }
}
