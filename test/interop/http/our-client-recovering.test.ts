import { type Change, connect } from "allspeak/client";
import { describe, expect, onTestFinished, test } from "vitest";
import { Queue } from "../../support/queue.ts";
import { serve } from "./serving.ts";

/** Our client at an official server that lets go of streams, and the statuses of the GETs that it made. */
async function connectPolling(generation: "v1" | "v2") {
  const { url, stop } = await serve(`official-${generation}-http-server`, "polling");
  const gets = new Queue<number>();
  const problems: Error[] = [];
  const client = await connect(url, {
    revisions: ["2025-11-25"],
    fetch: async (input, init) => {
      const response = await fetch(input, init);
      if (init?.method === "GET") gets.push(response.status);
      return response;
    },
    onProblem: (problem) => problems.push(problem),
  });
  onTestFinished(async () => {
    await client.close();
    await stop();
  });
  // The stream beside the calls is open.
  expect(await gets.next()).toBe(200);
  return { client, gets, problems };
}

describe.each(["v1", "v2"] as const)("our client and the official SDK %s server", (generation) => {
  test("the answer to a call whose stream was let go is fetched", async () => {
    const { client, gets, problems } = await connectPolling(generation);
    expect((await client.tools.call("let-go")).content).toEqual([{ type: "text", text: "at last" }]);
    expect(gets.drain()).toEqual([200]);
    expect(problems).toEqual([]);
  });

  test("updates that came while the stream beside the calls was gone are not lost", async () => {
    const { client, gets, problems } = await connectPolling(generation);
    const changes = new Queue<Change>();
    client.onChange((change) => changes.push(change));
    await client.subscribe(
      { resources: ["fixture://zero", "fixture://one", "fixture://two", "fixture://three"] },
      () => {},
    );
    // A stream without events has nothing to be resumed from.
    await client.tools.call("touch", { uri: "fixture://zero" });
    expect(await changes.next()).toEqual({ kind: "resource", uri: "fixture://zero" });
    expect((await client.tools.call("let-go-of-updates")).content).toEqual([{ type: "text", text: "told" }]);
    const uris = (await changes.take(3)).map((change) => change.kind === "resource" && change.uri);
    expect(uris).toEqual(["fixture://one", "fixture://two", "fixture://three"]);
    expect(await gets.next()).toBe(200);
    expect(problems).toEqual([]);
  });

  test("a session that the server has forgotten is opened again, with its subscriptions", async () => {
    const { client, gets, problems } = await connectPolling(generation);
    const changes = new Queue<Change>();
    await client.subscribe({ resources: ["fixture://notes"] }, (change) => changes.push(change));
    await client.tools.call("forget");
    expect((await client.tools.call("echo", { text: "hello" })).content).toEqual([
      { type: "text", text: "hello" },
    ]);
    expect(await gets.next()).toBe(200);
    await client.tools.call("touch", { uri: "fixture://notes" });
    expect(await changes.next()).toEqual({ kind: "resource", uri: "fixture://notes" });
    expect(problems).toEqual([]);
  });
});
