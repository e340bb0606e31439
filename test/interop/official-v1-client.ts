import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import {
  CallToolResultSchema,
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  type JSONRPCMessage,
  ListRootsRequestSchema,
  LoggingMessageNotificationSchema,
  PromptListChangedNotificationSchema,
  ResourceListChangedNotificationSchema,
  ResourceUpdatedNotificationSchema,
  ToolListChangedNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod";
import { Queue } from "../support/queue.ts";
import { fixture } from "./fixture.ts";
import {
  type Answers,
  type CallResult,
  createAnswers,
  itemsKey,
  type ListMethod,
  type OfficialClient,
} from "./official-client.ts";

/** The official client offers its newest revision and no other; this puts another in its place. */
function offering<T extends Transport>(transport: T, offer: string): T {
  const send = transport.send.bind(transport);
  transport.send = (message: JSONRPCMessage, options) => {
    if (!("method" in message) || message.method !== "initialize") return send(message, options);
    return send({ ...message, params: { ...message.params, protocolVersion: offer } }, options);
  };
  return transport;
}

const anyPage = z.looseObject({ nextCursor: z.string().optional() });

/** Connects the official SDK v1 client to our server. */
export async function connectV1(
  offer: string,
  transport: Transport = new StdioClientTransport(fixture("allspeak-server")),
): Promise<OfficialClient> {
  const answers = createAnswers();
  const logs = new Queue<object>();
  const changes = new Queue<string>();
  const problems: Error[] = [];
  const capabilities = { sampling: {}, elicitation: { form: {}, url: {} }, roots: { listChanged: true } };
  const client = new Client({ name: "official-v1", version: "1.0.0" }, { capabilities });
  client.onerror = (error) => problems.push(error);
  answerAsks(client, answers);
  listen(client, logs, changes);
  await client.connect(offering(transport, offer));

  const page: OfficialClient["page"] = async (method, cursor) => {
    const params = cursor === undefined ? {} : { cursor };
    const result = await client.request({ method, params }, anyPage);
    return { items: result[itemsKey[method]] as { name: string }[], nextCursor: result.nextCursor };
  };

  return {
    client,
    answers,
    logs,
    changes,
    problems,
    page,
    all: (method) => listAll(client, method),
    call: async (name, args = {}, { onProgress, signal, logLevel } = {}) => {
      if (logLevel) await client.setLoggingLevel(logLevel);
      const options = { ...(onProgress && { onprogress: onProgress }), ...(signal && { signal }) };
      // Its type still allows for results of the time before the first revision.
      const result: unknown = await client.callTool({ name, arguments: args }, CallToolResultSchema, options);
      return result as CallResult;
    },
    watch: async (uris) => {
      for (const uri of uris) await client.subscribeResource({ uri });
      return async () => {
        for (const uri of uris) await client.unsubscribeResource({ uri });
      };
    },
  };
}

/** This generation lists one page at a time, so an application follows the cursors. */
async function listAll(client: Client, method: ListMethod): Promise<{ name: string }[]> {
  const items: { name: string }[] = [];
  let cursor: string | undefined;
  do {
    const params = cursor === undefined ? undefined : { cursor };
    const result: { nextCursor?: string | undefined } = await list(client, method, params);
    items.push(...((result as Record<string, { name: string }[]>)[itemsKey[method]] ?? []));
    cursor = result.nextCursor;
  } while (cursor !== undefined);
  return items;
}

function list(client: Client, method: ListMethod, params: { cursor: string } | undefined) {
  switch (method) {
    case "tools/list":
      return client.listTools(params);
    case "resources/list":
      return client.listResources(params);
    case "resources/templates/list":
      return client.listResourceTemplates(params);
    case "prompts/list":
      return client.listPrompts(params);
  }
}

function answerAsks(client: Client, answers: Answers): void {
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => answers.elicit(params));
  client.setRequestHandler(CreateMessageRequestSchema, ({ params }) => ({
    role: "assistant" as const,
    model: "tiny",
    content: { type: "text" as const, text: answers.sample(params) },
  }));
  client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: answers.roots }));
}

function listen(client: Client, logs: Queue<object>, changes: Queue<string>): void {
  client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => logs.push(params));
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => changes.push(params.uri));
  for (const schema of [
    ToolListChangedNotificationSchema,
    PromptListChangedNotificationSchema,
    ResourceListChangedNotificationSchema,
  ]) {
    client.setNotificationHandler(schema, ({ method }) => changes.push(method));
  }
}
