// The pairs on a judging page: none comes twice, none is lost, and the one in view stays.
import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { Pairs, without } from "../../app/web/static/lib/pairs.js";

const pair = (id, keys = id, item = null) => ({
  id, judge: "ada", item: item && { key: item, prompt: null },
  first: { key: keys[0], text: null }, second: { key: keys[1], text: null },
});
let pairs;

beforeEach(() => {
  pairs = new Pairs();
});

test("pairs come in the order in which they were leased", () => {
  pairs.take([pair("ab"), pair("cd")]);
  pairs.take([pair("ab"), pair("cd"), pair("ef")]);
  assert.deepEqual(pairs.ids, ["ab", "cd", "ef"]);
  assert.equal(pairs.current.id, "ab");
});

test("an answer that was under way does not bring back a pair that was judged", () => {
  pairs.take([pair("ab"), pair("cd")]);
  pairs.putAway();
  pairs.take([pair("ab"), pair("cd")]);
  assert.deepEqual(pairs.ids, ["cd"]);
});

test("pairs whose lease has ended go, but the one in view stays and is late", () => {
  pairs.take([pair("ab"), pair("cd"), pair("ef")]);
  pairs.drop(["ab", "cd"]);
  assert.deepEqual(pairs.ids, ["ab", "ef"]);
  assert.equal(pairs.current.late, true);
});

test("pairs that the service no longer names have lost their lease", () => {
  pairs.take([pair("ab"), pair("cd")]);
  pairs.take([pair("ef")]);
  assert.deepEqual(pairs.ids, ["ab", "ef"]);
  assert.equal(pairs.current.late, true);
});

test("a late pair that is leased anew keeps its place, and the page need not show it again", () => {
  pairs.take([pair("ab"), pair("cd")]);
  pairs.drop(["ab"]);
  const inView = pairs.current;
  pairs.take([pair("cd"), pair("new", "ab")]);
  assert.equal(pairs.current, inView);
  assert.deepEqual([inView.id, inView.late], ["new", false]);
  assert.deepEqual(pairs.ids, ["new", "cd"]);
});

test("a late pair that is leased anew in the other order is another to show", () => {
  pairs.take([pair("ab")]);
  pairs.drop(["ab"]);
  const inView = pairs.current;
  pairs.take([pair("new", "ba")]);
  assert.notEqual(pairs.current, inView);
  assert.deepEqual([pairs.current.id, pairs.current.first.key], ["new", "b"]);
  assert.deepEqual(pairs.ids, ["new"]);
});

test("a pair that still has its lease is not the same as another lease of its texts", () => {
  pairs.take([pair("ab"), pair("again", "ab")]);
  assert.deepEqual(pairs.ids, ["ab", "again"]);
});

test("an undone pair comes back in front, without a lease, and leases that end do not touch it", () => {
  pairs.take([pair("ab"), pair("cd")]);
  const undone = pairs.current;
  pairs.putAway();
  pairs.bringBack(undone);
  assert.deepEqual([pairs.current.id, pairs.current.first.key], [null, "a"]);
  assert.deepEqual(pairs.ids, ["cd"]);
  pairs.drop(["ab", "cd"]);
  assert.deepEqual([pairs.current.id, pairs.current.late], [null, false]);
});

test("an undone pair that is leased anew takes the lease", () => {
  pairs.take([pair("ab")]);
  const undone = pairs.current;
  pairs.putAway();
  pairs.bringBack(undone);
  pairs.take([pair("new", "ab")]);
  assert.deepEqual(pairs.ids, ["new"]);
});

test("the same keys of another item are another pair", () => {
  pairs.take([pair("ab", "ab", "sky")]);
  pairs.drop(["ab"]);
  pairs.take([pair("new", "ab", "sea")]);
  assert.deepEqual(pairs.ids, ["ab", "new"]);
});

test("nothing is in view of no pairs, and none can be put away", () => {
  pairs.putAway();
  pairs.drop(["ab"]);
  pairs.take([pair("ab")]);
  pairs.clear();
  assert.equal(pairs.current, undefined);
  assert.deepEqual(pairs.ids, []);
});

test("without leaves the order", () => {
  assert.deepEqual(without(["a", "b", "c"], ["b", "d"]), ["a", "c"]);
});

test("a pair that was skipped without a lease is not shown again, and is skipped when it is leased", () => {
  pairs.take([pair("ab"), pair("cd")]);
  const undone = pairs.current;
  pairs.putAway();
  pairs.bringBack(undone);
  pairs.skipOnceLeased("unreadable");
  assert.deepEqual(pairs.take([pair("cd")]), []);
  assert.deepEqual(pairs.take([pair("cd"), pair("new", "ba")]), [{ id: "new", reason: "unreadable" }]);
  assert.deepEqual(pairs.take([pair("cd"), pair("new", "ba")]), []);
  assert.deepEqual(pairs.ids, ["cd"]);
});
