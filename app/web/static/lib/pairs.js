// @ts-check
// The pair in view and those after it.

/**
 * A pair on this page. One that was undone has no id: it is judged without a lease.
 * @typedef {Omit<Contract.Assignment, "id"> & { id: string | null, late?: boolean }} Pair
 */

export class Pairs {
  /** @type {Pair[]} */
  #list = [];
  /** @type {Set<string | null>} */
  #done = new Set(); // ids that an answer under way may still bring
  /** @type {{ pair: Pair, reason: string }[]} */
  #skipped = []; // without a lease, as a failure needs one: it is sent when they are leased again

  /** @returns {Pair | undefined} */
  get current() {
    return this.#list[0];
  }

  get ids() {
    return this.#list.flatMap((pair) => pair.id ?? []);
  }

  clear() {
    this.#list = [];
    this.#skipped = [];
  }

  putAway() {
    const pair = this.#list.shift();
    if (pair) this.#done.add(pair.id);
  }

  /**
   * Puts the pair in view away, which has no lease that could end as skipped.
   * @param {string} reason
   */
  skipOnceLeased(reason) {
    if (this.current) this.#skipped.push({ pair: this.current, reason });
    this.putAway();
  }

  /** @param {Pair} pair */
  bringBack(pair) {
    this.#list.unshift({ ...pair, id: null, late: false });
  }

  /**
   * Lets go of pairs whose lease has ended, but for the one in view: a late verdict counts too.
   * @param {string[]} ended ids
   */
  drop(ended) {
    const hasEnded = (/** @type {Pair} */ { id }) => id !== null && ended.includes(id);
    this.#list = this.#list.filter((pair, place) => place === 0 || !hasEnded(pair));
    if (this.current && hasEnded(this.current)) this.current.late = true;
  }

  /**
   * Adds what is new, and returns what was skipped before it was leased.
   * @param {Contract.Assignment[]} leased all that this judge has now on this page
   */
  take(leased) {
    this.drop(without(this.ids, leased.map((pair) => pair.id)));
    const known = new Set([...this.ids, ...this.#done]);
    const skipped = [];
    for (const pair of leased.filter(({ id }) => !known.has(id))) {
      const place = this.#skipped.findIndex((each) => isSame(each.pair, pair));
      if (place < 0) this.#add(pair);
      else {
        const [{ reason }] = this.#skipped.splice(place, 1);
        skipped.push({ id: pair.id, reason });
        this.#done.add(pair.id);
      }
    }
    return skipped;
  }

  /**
   * Adds a pair, in its old place where it lost its lease or never had one.
   * @param {Contract.Assignment} pair
   */
  #add(pair) {
    const place = this.#list.findIndex((other) => (!other.id || other.late) && isSame(other, pair));
    if (place < 0) this.#list.push(pair);
    else if (this.#list[place].first.key !== pair.first.key) this.#list[place] = pair;
    else Object.assign(this.#list[place], { id: pair.id, late: false });
  }
}

/**
 * @param {string[]} ids
 * @param {string[]} others
 */
export const without = (ids, others) => ids.filter((id) => !others.includes(id));

/**
 * @param {Pair} a
 * @param {Pair} b
 */
function isSame(a, b) {
  const keys = (/** @type {Pair} */ pair) => [pair.first.key, pair.second.key].sort().join("\n");
  return a.item?.key === b.item?.key && keys(a) === keys(b);
}
