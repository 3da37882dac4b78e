// Runs down the seconds a pair must have been in view before it may be judged.
const TICK_MS = 250;

export class Reading {
  #left = 0;

  constructor(seconds, onChange) {
    Object.assign(this, { seconds, onChange });
    setInterval(() => this.#tick(), TICK_MS);
  }

  start() {
    this.#set(this.seconds);
  }

  get done() {
    return this.#left <= 0;
  }

  #tick() {
    if (!this.done && !document.hidden) this.#set(this.#left - TICK_MS / 1000);
  }

  #set(left) {
    this.#left = Math.max(0, left);
    this.onChange(Math.ceil(this.#left));
  }
}
