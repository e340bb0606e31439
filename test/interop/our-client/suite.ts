import { type Client, type ConnectOptions, connect } from "allspeak/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Queue } from "../../support/queue.ts";
import { testAsks } from "./asks.ts";
import { testChanges } from "./changes.ts";
import { testPrompts } from "./prompts.ts";
import { testResources } from "./resources.ts";
import { callForJson, type Host, type Official, type Reached, type Talk } from "./talk.ts";
import { testResults, testTools } from "./tools.ts";

type Revision = NonNullable<ConnectOptions["revisions"]>[number];
type Reach = () => Reached | Promise<Reached>;

/** Tests our client with an official server, in each revision that the server speaks. */
export function describeOurClient(
  who: string,
  revisions: readonly Revision[],
  official: Official,
  reach: Reach,
): void {
  describe.each(revisions)(`our client and ${who} in %s`, (revision) => {
    const talk = createTalk(revision, official, reach);
    testOpening(talk);
    testWhoami(talk);
    testTools(talk);
    testResources(talk);
    testPrompts(talk);
    testAsks(talk);
    testChanges(talk);
    testProblems(talk);
  });
}

/** The same with a server that answers calls and can do no more: it keeps no session, or never streams. */
export function describeOurCalls(
  who: string,
  revisions: readonly Revision[],
  official: Official,
  reach: Reach,
): void {
  describe.each(revisions)(`our client and ${who} in %s`, (revision) => {
    const talk = createTalk(revision, official, reach);
    testOpening(talk);
    testResults(talk);
    testResources(talk);
    testPrompts(talk);
    testProblems(talk);
  });
}

function createTalk(revision: Revision, official: Official, reach: Reach): Talk {
  const host = createHost();
  let client: Client;
  let reached: Reached;
  beforeAll(async () => {
    reached = await reach();
    client = await connect(reached.target, { ...toOptions(host), revisions: [revision] });
  });
  afterAll(async () => {
    await client?.close();
    await reached?.stop?.();
  });
  return {
    revision,
    since: (other) => revision >= other,
    official,
    host,
    client: () => client,
    reached: () => reached,
  };
}

function createHost(): Host {
  return {
    elicit: () => ({ action: "cancel" }),
    sample: () => ({ role: "assistant", model: "none", content: { type: "text", text: "" } }),
    logs: new Queue(),
    problems: [],
  };
}

function toOptions(host: Host): ConnectOptions {
  return {
    info: { name: "ours", version: "3.2.1", title: "Our client" },
    elicit: (ask, context) => host.elicit(ask, context),
    sample: (ask, context) => host.sample(ask, context),
    roots: ["file:///home/me"],
    onLog: (message) => host.logs.push(message),
    onProblem: (problem) => host.problems.push(problem),
  };
}

function testOpening({ revision, client, reached }: Talk): void {
  test("our client learns who the server is and what it can do", () => {
    // The official servers describe themselves alike in all revisions.
    expect(client().server).toEqual({
      info: { name: "official", version: "1.0.0", title: "The official fixture" },
      capabilities: {
        tools: { listChanged: true },
        resources: { subscribe: true, listChanged: true },
        prompts: { listChanged: true },
        completions: {},
        logging: {},
      },
      instructions: "Call anything.",
      revision,
    });
    const { shape } = reached();
    expect(client().hint).toEqual({ revision, ...(shape !== undefined && { shape }) });
  });

  test("the server gives a sign of life", async () => {
    await expect(client().ping()).resolves.toBeUndefined();
  });
}

function testWhoami({ since, client }: Talk): void {
  test("the server learns who our client is and what it can do", async () => {
    expect(await callForJson(client(), "whoami")).toEqual({
      info: { name: "ours", version: "3.2.1", ...(since("2025-06-18") && { title: "Our client" }) },
      capabilities: {
        sampling: {},
        roots: since("2026-07-28") ? {} : { listChanged: true },
        // What has no name in the revision with one mode is read by the official servers as a form.
        ...(since("2025-06-18") && { elicitation: { form: {}, ...(since("2025-11-25") && { url: {} }) } }),
      },
    });
  });
}

/** Stays last, so that it speaks for everything that was said before. */
function testProblems({ host }: Talk): void {
  test("nothing came that our client could not read", () => {
    expect(host.problems).toEqual([]);
  });
}
