// The one layer that fetches: what is final, what may pass, and what was withdrawn.
import assert from "node:assert/strict";
import { test } from "node:test";

import { Refusal, Unreachable, get, post, put, upload } from "../../app/web/static/lib/service.js";

/** Lets the service answer so; returns the requests that it got. */
function serve(answer) {
  const requests = [];
  globalThis.fetch = async (path, options) => {
    requests.push({ path, ...options });
    options.signal?.throwIfAborted();
    if (answer instanceof Error) throw answer;
    return answer.clone();
  };
  return requests;
}

async function troubleOf(answer) {
  const error = await answer.catch((reason) => reason);
  assert.ok(error instanceof Unreachable);
  return error;
}

test("an answer is its JSON, and a request is JSON", async () => {
  const requests = serve(Response.json({ seq: 1 }));
  assert.deepEqual(await post("/a", { winner: "tie" }, { headers: { "Idempotency-Key": "k" } }), { seq: 1 });
  await put("/b", { kind: "human" });
  await upload("/c", "ash: Tall.");
  assert.deepEqual(requests.map(({ path, method, body, headers }) => [path, method, body, headers["Content-Type"]]), [
    ["/a", "POST", '{"winner":"tie"}', "application/json"], ["/b", "PUT", '{"kind":"human"}', "application/json"],
    ["/c", "POST", "ash: Tall.", "application/octet-stream"],
  ]);
  assert.equal(requests[0].headers["Idempotency-Key"], "k");
});

test("a refusal carries the service's words and where they belong", async () => {
  const errors = [{ pointer: "#/name", detail: "too long" }];
  serve(Response.json({ detail: "Not so.", errors }, { status: 422 }));
  const refusal = await get("/a").catch((error) => error);
  assert.ok(refusal instanceof Refusal);
  assert.deepEqual([refusal.message, refusal.errors], ["Not so.", errors]);
  serve(Response.json({ detail: "No.", errors: null }, { status: 404 }));
  await assert.rejects(get("/a"), (error) => error instanceof Refusal && error.errors.length === 0);
});

for (const status of [401, 408, 425, 429, 500, 503]) {
  test(`${status} may pass, and says why`, async () => {
    serve(Response.json({ detail: "Later." }, { status }));
    const trouble = await troubleOf(get("/a"));
    assert.deepEqual([trouble.status, trouble.message], [status, "Later."]);
  });
}

test("no answer and an answer of no use may pass", async () => {
  serve(new TypeError("Failed to fetch"));
  assert.equal((await troubleOf(get("/a"))).message, "The service does not answer. Check that it is running, then try again.");
  serve(new Response("<h1>Bad gateway</h1>", { status: 404 }));
  assert.equal((await troubleOf(get("/a"))).message, "The service answered with status 404. Try again.");
});

test("what was withdrawn is neither", async () => {
  serve(Response.json({}));
  await assert.rejects(get("/a", { signal: AbortSignal.abort() }), { name: "AbortError" });
  serve(new DOMException("The page goes away.", "AbortError")); // as some browsers put it
  await assert.rejects(get("/a"), Unreachable);
});

test("a request has a limit on its time unless it says otherwise; a file has none", async () => {
  const requests = serve(Response.json({}));
  await get("/a");
  await get("/b", { signal: null });
  await upload("/c", "");
  assert.ok(requests[0].signal instanceof AbortSignal);
  assert.deepEqual([requests[1].signal, requests[2].signal], [null, null]);
});
