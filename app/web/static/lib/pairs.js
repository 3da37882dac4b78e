// The pair in view and those after it. One that was undone has no id: it is judged without a lease.
export class Pairs {
  #list = [];
  #done = new Set(); // an answer that was under way may still bring these

  get current() {
    return this.#list[0];
  }

  get ids() {
    return this.#list.map((pair) => pair.id).filter(Boolean);
  }

  clear() {
    this.#list = [];
  }

  putAway() {
    this.#done.add(this.current.id);
    return this.#list.shift();
  }

  bringBack(pair) {
    this.#list.unshift({ ...pair, id: null, late: false });
  }

  // Lets go of pairs whose lease has ended, but for the one in view: a late verdict counts too.
  drop(ended) {
    this.#list = this.#list.filter((pair, place) => place === 0 || !ended.includes(pair.id));
    if (ended.includes(this.current?.id)) this.current.late = true;
  }

  take(leased) {
    this.drop(without(this.ids, leased.map((pair) => pair.id)));
    const known = new Set([...this.ids, ...this.#done]);
    leased.filter((pair) => !known.has(pair.id)).forEach((pair) => this.#add(pair));
  }

  // A pair that lost its lease, or never had one, may be leased anew.
  #add(pair) {
    const place = this.#list.findIndex((held) => (!held.id || held.late) && isSame(held, pair));
    if (place < 0) this.#list.push(pair);
    else if (this.#list[place].first.key !== pair.first.key) this.#list[place] = pair;
    else Object.assign(this.#list[place], { id: pair.id, late: false });
  }
}

export const without = (ids, others) => ids.filter((id) => !others.includes(id));

function isSame(a, b) {
  const keys = (pair) => [pair.first.key, pair.second.key].sort().join("\n");
  return a.item?.key === b.item?.key && keys(a) === keys(b);
}
