import type { Queue } from "../support/queue.ts";

/** What the official clients of both generations have in common, as far as the tests use it. */
export interface CommonClient {
  getServerVersion(): object | undefined;
  getServerCapabilities(): object | undefined;
  getInstructions(): string | undefined;
  readResource(params: { uri: string }): Promise<{ contents: object[] }>;
  getPrompt(params: {
    name: string;
    arguments?: Record<string, string>;
  }): Promise<{ description?: string | undefined; messages: object[] }>;
  complete(params: {
    ref: { type: "ref/prompt"; name: string } | { type: "ref/resource"; uri: string };
    argument: { name: string; value: string };
    context?: { arguments: Record<string, string> };
  }): Promise<{ completion: object }>;
  sendRootsListChanged(): Promise<void>;
  close(): Promise<void>;
}

export interface CallOptions {
  readonly onProgress?: (progress: object) => void;
  readonly signal?: AbortSignal;
  /** Log messages of this level and above are wanted while the call runs. */
  readonly logLevel?: "debug" | "info" | "error";
}

export interface CallResult {
  readonly content?: unknown;
  readonly structuredContent?: unknown;
  readonly isError?: boolean | undefined;
}

export interface Elicitation {
  readonly mode?: string | undefined;
  readonly message: string;
  readonly requestedSchema?: unknown;
  readonly url?: string | undefined;
}

/** How the host behind an official client answers; tests change it as they go. */
export interface Answers {
  elicit: (ask: Elicitation) => {
    action: "accept" | "decline" | "cancel";
    content?: Record<string, string | number | boolean | string[]>;
  };
  sample: (ask: { messages: object[]; maxTokens: number }) => string;
  roots: { uri: string; name?: string }[];
}

export type ListMethod = "tools/list" | "resources/list" | "resources/templates/list" | "prompts/list";

export interface Page {
  readonly items: readonly { readonly name: string }[];
  readonly nextCursor: string | undefined;
}

/** An official client that is connected to a server, with what the two generations do differently. */
export interface OfficialClient {
  readonly client: CommonClient;
  readonly answers: Answers;
  /** Log messages, as they arrive. */
  readonly logs: Queue<object>;
  /** The methods and URIs of change notifications, as they arrive. */
  readonly changes: Queue<string>;
  /** What the application is told when a resource is not there, if that is not the code that was sent. */
  readonly missingResourceCode?: number;
  /** What the official client found wrong with messages that it got. */
  readonly problems: readonly Error[];
  call(name: string, args?: Record<string, unknown>, options?: CallOptions): Promise<CallResult>;
  page(method: ListMethod, cursor?: string): Promise<Page>;
  /** Everything in a list, in the way that an application of this client gets it. */
  all(method: ListMethod): Promise<readonly { readonly name: string }[]>;
  /** Asks to be told of changes of lists and of these resources, until the returned function is called. */
  watch(uris: readonly string[]): Promise<() => Promise<void>>;
}

/** The member of a list's result that has the items. */
export const itemsKey = {
  "tools/list": "tools",
  "resources/list": "resources",
  "resources/templates/list": "resourceTemplates",
  "prompts/list": "prompts",
} as const;

export function createAnswers(): Answers {
  return {
    elicit: ({ mode }) =>
      mode === "url" ? { action: "accept" } : { action: "accept", content: { seats: 2 } },
    sample: ({ messages, maxTokens }) => `${messages.length} message, ${maxTokens} tokens`,
    roots: [{ uri: "file:///home/me", name: "me" }],
  };
}
