import { Client, type ClientOptions, type Transport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Queue } from "../support/queue.ts";
import { fixture } from "./fixture.ts";
import {
  type Answers,
  createAnswers,
  itemsKey,
  type ListMethod,
  type OfficialClient,
} from "./official-client.ts";

const listChanges = [
  "notifications/tools/list_changed",
  "notifications/prompts/list_changed",
  "notifications/resources/list_changed",
] as const;

/** How this client is told to speak one revision and no other. */
export function pin(revision: string): ClientOptions {
  return revision === "2026-07-28"
    ? { versionNegotiation: { mode: { pin: revision } } }
    : { supportedProtocolVersions: [revision] };
}

/** Connects the official SDK v2 client to our server. */
export async function connectV2(
  options: ClientOptions,
  transport: Transport = new StdioClientTransport(fixture("allspeak-server")),
): Promise<OfficialClient & { readonly client: Client }> {
  const answers = createAnswers();
  const logs = new Queue<object>();
  const changes = new Queue<string>();
  const problems: Error[] = [];
  const capabilities = { sampling: {}, elicitation: { form: {}, url: {} }, roots: { listChanged: true } };
  const client = new Client({ name: "official-v2", version: "2.0.0" }, { ...options, capabilities });
  client.onerror = (error) => problems.push(error);
  answerAsks(client, answers);
  client.setNotificationHandler("notifications/message", ({ params }) => logs.push(params));
  client.setNotificationHandler("notifications/resources/updated", ({ params }) => changes.push(params.uri));
  for (const method of listChanges) client.setNotificationHandler(method, () => changes.push(method));
  await client.connect(transport);
  const isSessionless = client.getDiscoverResult() !== undefined;

  return {
    client,
    answers,
    logs,
    changes,
    problems,
    // It makes one error of the codes that older and newer revisions have for this.
    missingResourceCode: -32602,
    page: async (method, cursor) => {
      // Only with a cursor does this client give one page; without one it is asked by the bare method.
      const params = cursor === undefined ? {} : { cursor };
      const result: Record<string, unknown> = await client.request({ method, params });
      return {
        items: result[itemsKey[method]] as { name: string }[],
        nextCursor: result.nextCursor as string | undefined,
      };
    },
    all: async (method) => (await list(client, method))[itemsKey[method]] as { name: string }[],
    call: async (name, args = {}, { onProgress, signal, logLevel } = {}) => {
      if (logLevel && !isSessionless) await client.setLoggingLevel(logLevel);
      // It has no way of its own to ask for log messages of one call, but passes metadata on.
      const meta = logLevel && isSessionless && { _meta: { "io.modelcontextprotocol/logLevel": logLevel } };
      const options = { ...(onProgress && { onprogress: onProgress }), ...(signal && { signal }) };
      return client.callTool({ name, arguments: args, ...meta }, options);
    },
    watch: async (uris) => {
      if (!isSessionless) {
        for (const uri of uris) await client.subscribeResource({ uri });
        return async () => {
          for (const uri of uris) await client.unsubscribeResource({ uri });
        };
      }
      const subscription = await client.listen({
        toolsListChanged: true,
        promptsListChanged: true,
        resourcesListChanged: true,
        resourceSubscriptions: [...uris],
      });
      return () => subscription.close();
    },
  };
}

/** This generation follows the cursors itself. */
function list(client: Client, method: ListMethod): Promise<Record<string, unknown>> {
  switch (method) {
    case "tools/list":
      return client.listTools();
    case "resources/list":
      return client.listResources();
    case "resources/templates/list":
      return client.listResourceTemplates();
    case "prompts/list":
      return client.listPrompts();
  }
}

function answerAsks(client: Client, answers: Answers): void {
  client.setRequestHandler("elicitation/create", ({ params }) => answers.elicit(params));
  client.setRequestHandler("sampling/createMessage", ({ params }) => ({
    role: "assistant" as const,
    model: "tiny",
    content: { type: "text" as const, text: answers.sample(params) },
  }));
  client.setRequestHandler("roots/list", () => ({ roots: answers.roots }));
}
