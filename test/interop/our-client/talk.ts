import type { Client, ConnectOptions, LogMessage, Target } from "allspeak/client";
import type { Queue } from "../../support/queue.ts";

/** What the official servers of one generation do in a way of their own. */
export interface Official {
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

/** A server that our client is to talk to. */
export interface Reached {
  readonly target: Target;
  /** What the connection finds out beside the revision. */
  readonly shape?: string;
  /** Ends the server, if it does not end with the connection. */
  stop?(): Promise<void>;
}

/** How the host behind our client answers; tests change it as they go. */
export interface Host {
  elicit: NonNullable<ConnectOptions["elicit"]>;
  sample: NonNullable<ConnectOptions["sample"]>;
  readonly logs: Queue<LogMessage>;
  readonly problems: Error[];
}

/** One connection in one revision, for the tests of one feature. */
export interface Talk {
  readonly revision: string;
  /** Whether the revision is this one or newer. */
  readonly since: (revision: string) => boolean;
  readonly official: Official;
  readonly reached: () => Reached;
  readonly host: Host;
  readonly client: () => Client;
}

/** The JSON in the one text that a tool answered with. */
export async function callForJson(client: Client, tool: string): Promise<unknown> {
  const { content } = await client.tools.call(tool);
  const [block] = content;
  return JSON.parse(block?.type === "text" ? block.text : "");
}
