import { type Client, type ConnectOptions, connect } from "allspeak/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fixture } from "../fixture.ts";
import { Queue } from "../queue.ts";
import { testAsks } from "./asks.ts";
import { testChanges } from "./changes.ts";
import { testPrompts } from "./prompts.ts";
import { testResources } from "./resources.ts";
import { callForJson, type Host, type Official, type Talk } from "./talk.ts";
import { testTools } from "./tools.ts";

type Revision = NonNullable<ConnectOptions["revisions"]>[number];

/** Tests our client with an official server, in each revision that the server speaks. */
export function describeOurClient(who: string, revisions: readonly Revision[], official: Official): void {
  describe.each(revisions)(`our client and ${who} in %s`, (revision) => {
    const host = createHost();
    let client: Client;
    beforeAll(async () => {
      client = await connect(fixture(official.fixture), { ...toOptions(host), revisions: [revision] });
    });
    afterAll(() => client.close());

    const talk: Talk = {
      revision,
      since: (other) => revision >= other,
      official,
      host,
      client: () => client,
    };
    testOpening(talk);
    testTools(talk);
    testResources(talk);
    testPrompts(talk);
    testAsks(talk);
    testChanges(talk);

    // Stays last, so that it speaks for everything that was said before.
    test("nothing came that our client could not read", () => {
      expect(host.problems).toEqual([]);
    });
  });
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

function testOpening({ revision, since, client }: Talk): void {
  test("each learns who the other is and what it can do", async () => {
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
    expect(client().verdict).toEqual({ revision });
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

  test("the server gives a sign of life", async () => {
    await expect(client().ping()).resolves.toBeUndefined();
  });
}
