// @ts-check
// Runs down the seconds a pair must have been in view before it may be judged.
const TICK_MS = 250;

export class ReadingTime {
  #seconds;
  #onChange;
  #left = 0;

  /**
   * @param {number} seconds
   * @param {(secondsLeft: number) => void} onChange
   */
  constructor(seconds, onChange) {
    this.#seconds = seconds;
    this.#onChange = onChange;
    setInterval(() => this.#tick(), TICK_MS);
  }

  start() {
    this.#set(this.#seconds);
  }

  get isOver() {
    return this.#left <= 0;
  }

  #tick() {
    if (!this.isOver && !document.hidden) this.#set(this.#left - TICK_MS / 1000);
  }

  /** @param {number} left */
  #set(left) {
    this.#left = Math.max(0, left);
    this.#onChange(Math.ceil(this.#left));
  }
}
