import { type Change, type Client, type ConnectOptions, connect, type LogMessage } from "allspeak/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type FixtureName, fixture } from "../fixture.ts";
import { Queue } from "../queue.ts";
import { testAsks } from "./asks.ts";
import { testChanges } from "./changes.ts";
import { testPrompts } from "./prompts.ts";
import { testResources } from "./resources.ts";
import { testTools } from "./tools.ts";

/** What the official servers of one generation do in a way of their own. */
export interface Official {
  readonly fixture: FixtureName;
  /** How it names the dialect of its schemas. */
  readonly dialect: string;
  /** What it says of every tool beside what the tool was registered with. */
  readonly addedToTools: object;
  /** How it says that a tool is not there. */
  readonly unknownTool: { readonly as: "result" | "error"; readonly text: string };
  /** What it adds to the error that a resource is not there. Both have the newest revision's code for it. */
  readonly missingResourceData: unknown;
  /** What the tool answers that asks for what the client did not declare. */
  readonly cannotAsk: (mode: "form" | "url") => string;
}

/** How the host behind our client answers; tests change it as they go. */
export interface Host {
  elicit: NonNullable<ConnectOptions["elicit"]>;
  sample: NonNullable<ConnectOptions["sample"]>;
  readonly logs: Queue<LogMessage>;
  readonly changes: Queue<Change>;
  readonly problems: Error[];
}

/** One connection in one revision, for the tests of one feature. */
export interface Talk {
  readonly revision: string;
  /** Whether the revision is this one or newer. */
  readonly since: (revision: string) => boolean;
  readonly official: Official;
  readonly host: Host;
  readonly client: () => Client;
}

type Revision = NonNullable<ConnectOptions["revisions"]>[number];

/** Tests our client with an official server, in each revision that the server speaks. */
export function describeOurClient(who: string, revisions: readonly Revision[], official: Official): void {
  describe.each(revisions)(`our client and ${who} in %s`, (revision) => {
    const host = createHost();
    let client: Client;
    beforeAll(async () => {
      client = await connect(fixture(official.fixture), { ...toOptions(host), revisions: [revision] });
      client.onChange((change) => host.changes.push(change));
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
    changes: new Queue(),
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

/** The JSON in the one text that a tool answered with. */
export async function callForJson(client: Client, tool: string): Promise<unknown> {
  const { content } = await client.tools.call(tool);
  const [block] = content;
  return JSON.parse(block?.type === "text" ? block.text : "");
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
