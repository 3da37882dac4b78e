// The queue of a judging page against a service that fails in every way: each request arrives, once, in order.
import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";

import { Queue, waiting } from "../../app/web/static/lib/queue.js";

const { BroadcastChannel } = globalThis;
let answers; // of the service, the next first; then it answers well
let requests;
let channels;
let heard;
let shown; // by page, how many requests it says are waiting

/** As in a browser: entries are its own enumerable properties. */
class Storage {
  getItem(name) {
    return this[name] ?? null;
  }

  setItem(name, value) {
    this[name] = value;
  }

  removeItem(name) {
    delete this[name];
  }
}

beforeEach((context) => {
  [answers, requests, channels, heard] = [[], [], [], []];
  shown = new Map();
  globalThis.localStorage = new Storage();
  globalThis.window = new EventTarget();
  globalThis.BroadcastChannel = class extends BroadcastChannel {
    constructor(name) {
      super(name);
      channels.push(this);
    }
  };
  globalThis.fetch = async (path, { body, headers }) => {
    const answer = answers.shift() ?? Response.json({ seq: requests.length + 1 });
    requests.push({ path, body: JSON.parse(body), key: headers["Idempotency-Key"] });
    if (answer instanceof Error) throw answer;
    return answer;
  };
  context.mock.timers.enable({ apis: ["setTimeout"] });
});

afterEach(() => channels.forEach((channel) => channel.close()));

/** A page; what its queue tells it is added to `heard` by its name. */
function page(name) {
  return new Queue({
    onAnswer: ({ key }, answer) => heard.push([name, "answer", key, answer]),
    onRefusal: ({ key }, { message }) => heard.push([name, "refusal", key, message]),
    onEmpty: () => heard.push([name, "empty"]),
    onChange: () => shown.set(name, waiting().length),
  });
}

async function until(condition) {
  for (let turns = 0; !condition(); turns += 1) {
    assert.ok(turns < 10_000, "this never happens");
    await turn();
  }
}

const isEmpty = (name) => () => heard.some(([who, what]) => who === name && what === "empty");
const problem = (status, detail) => Response.json({ detail }, { status });
const online = () => window.dispatchEvent(new Event("online"));

test("requests arrive in order, once each, and their page hears the answers", async () => {
  const queue = page("one");
  const keys = [queue.add("/a", { winner: "first" }), queue.add("/b", { winner: "tie" })];
  assert.deepEqual(waiting().map(({ path }) => path), ["/a", "/b"]);
  await until(isEmpty("one"));
  assert.deepEqual(requests, [
    { path: "/a", body: { winner: "first" }, key: keys[0] }, { path: "/b", body: { winner: "tie" }, key: keys[1] },
  ]);
  assert.deepEqual(heard, [
    ["one", "answer", keys[0], { seq: 1 }], ["one", "answer", keys[1], { seq: 2 }], ["one", "empty"],
  ]);
  assert.deepEqual(waiting(), []);
});

test("what the service does not answer is sent again, with the same key, once the browser is online", async () => {
  answers = [new TypeError("Failed to fetch")];
  const queue = page("one");
  const key = queue.add("/a", {});
  await until(() => queue.offline);
  assert.deepEqual(waiting().map((entry) => entry.key), [key]);
  assert.deepEqual(heard, []);
  online();
  await until(isEmpty("one"));
  assert.deepEqual(requests.map((request) => request.key), [key, key]);
  assert.equal(queue.offline, false);
});

const PASSING = [401, 408, 425, 429, 500, 503].map((status) => problem(status, "Later."));
for (const answer of [...PASSING, new Response("<h1>A proxy</h1>")]) {
  test(`an answer ${answer.status} of ${answer.headers.get("content-type")} is no answer`, async () => {
    answers = [answer];
    const queue = page("one");
    queue.add("/a", {});
    await until(() => queue.offline);
    assert.equal(waiting().length, 1);
    online();
    await until(isEmpty("one"));
    assert.deepEqual(heard.map(([, what]) => what), ["answer", "empty"]);
  });
}

test("a request that is refused is told in the service's words and holds up nothing", async () => {
  answers = [problem(409, "The assignment already has its verdict.")];
  const queue = page("one");
  const keys = [queue.add("/a", {}), queue.add("/b", {})];
  await until(isEmpty("one"));
  assert.deepEqual(heard.slice(0, 2), [
    ["one", "refusal", keys[0], "The assignment already has its verdict."], ["one", "answer", keys[1], { seq: 2 }],
  ]);
  assert.deepEqual(waiting(), []);
});

test("pauses grow from one second to half a minute, and are short again after an answer", async (context) => {
  const down = () => new TypeError("Failed to fetch");
  answers = [...Array.from({ length: 7 }, down), undefined, down()];
  const queue = page("one");
  queue.add("/a", {});
  queue.add("/b", {});
  for (const [sent, pause] of [1000, 2000, 4000, 8000, 16_000, 30_000, 30_000].entries()) {
    await until(() => requests.length === sent + 1);
    await turn();
    context.mock.timers.tick(pause - 1);
    await turn();
    assert.equal(requests.length, sent + 1);
    context.mock.timers.tick(1);
  }
  await until(() => requests.length === 9);
  await turn();
  context.mock.timers.tick(1000);
  await until(isEmpty("one"));
  assert.deepEqual(requests.map(({ path }) => path), [..."aaaaaaaabb"].map((name) => `/${name}`));
});

test("what an earlier visit left is sent, the oldest first, and other things in the storage are let be", async () => {
  localStorage.setItem("nextpair.judge", "ada");
  for (const [key, made] of [["late", 2], ["early", 1]]) {
    localStorage.setItem(`nextpair.waiting.${key}`, JSON.stringify({ key, made, path: `/${key}`, body: {} }));
  }
  page("one").run();
  await until(isEmpty("one"));
  assert.deepEqual(requests.map(({ path, key }) => [path, key]), [["/early", "early"], ["/late", "late"]]);
  assert.equal(localStorage.getItem("nextpair.judge"), "ada");
});

test("a request that another tab delivers is answered on the page that made it, and on no third one", async () => {
  answers = [new TypeError("Failed to fetch"), problem(409, "Too late.")];
  const maker = page("maker");
  const key = maker.add("/a", {});
  await until(() => maker.offline);
  page("third");
  page("other").run();
  await until(() => heard.some(([who]) => who === "maker"));
  await turn();
  assert.deepEqual(heard, [
    ["other", "refusal", key, "Too late."], ["other", "empty"], ["maker", "refusal", key, "Too late."],
  ]);
  assert.deepEqual(requests.map((request) => request.key), [key, key]);
});

test("a page whose request vanishes from the storage without a word stops saying that it waits", async () => {
  answers = [new TypeError("Failed to fetch")];
  const queue = page("one");
  const key = queue.add("/a", {});
  await until(() => queue.offline);
  assert.equal(shown.get("one"), 1);
  localStorage.removeItem(`nextpair.waiting.${key}`); // a browser may tell of another tab's change later than of its message
  online();
  await until(isEmpty("one"));
  assert.equal(shown.get("one"), 0);
});

test("running twice sends nothing twice", async () => {
  const queue = page("one");
  queue.add("/a", {});
  queue.run();
  queue.run();
  await until(isEmpty("one"));
  assert.equal(requests.length, 1);
});
