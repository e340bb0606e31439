import { createServer } from "allspeak";
import { type Host, openHost } from "allspeak/host";
import { estimateTokens } from "../../doctor/token-cost.ts";
import type { JsonObject } from "../../lib/json.ts";
import type { CallToolResult } from "../../protocol/model/tool.ts";
import type { InspectedConnection } from "../connections/connection.ts";
import type { ConversationStep, ConversationView } from "../messages/conversation.ts";
import type { Question, ScriptedModel } from "../messages/question.ts";
import { replyOf } from "../questions/scripted-model.ts";

type NewStep = ConversationStep extends infer Step
  ? Step extends ConversationStep
    ? Omit<Step, "index" | "at" | "tokens">
    : never
  : never;

export interface ConversationParts {
  readonly connections: readonly InspectedConnection[];
  readonly searchAbove: number | undefined;
  /** The scripted model as it is now. */
  model(): ScriptedModel;
  onStep(step: ConversationStep): void;
}

/** Turns that the model gets for one text of the user. */
const maxTurns = 8;
const maxSteps = 1_000;

/** Several servers behind one host, and a scripted model that uses their tools. */
export class Conversation {
  readonly #parts: ConversationParts;
  readonly #host: Host;
  /** The connections by the names of their servers in the host. */
  readonly #servers: ReadonlyMap<string, InspectedConnection>;
  #count = 0;

  private constructor(
    parts: ConversationParts,
    host: Host,
    servers: ReadonlyMap<string, InspectedConnection>,
  ) {
    this.#parts = parts;
    this.#host = host;
    this.#servers = servers;
  }

  /** Lists and calls go over the connections that are open, so that their wire and their questions are seen. */
  static async open(parts: ConversationParts): Promise<Conversation> {
    const servers = nameServers(parts.connections);
    const mounted = [...servers].map(([name, { client }]) => {
      const server = createServer({ name, version: client.server.info?.version ?? "0" });
      server.mount("", client);
      return [name, server] as const;
    });
    const host = await openHost({
      servers: Object.fromEntries(mounted),
      ...(parts.searchAbove !== undefined && { searchAbove: parts.searchAbove }),
      onProblem: () => {},
    });
    return new Conversation(parts, host, servers);
  }

  async view(): Promise<ConversationView> {
    const [tools, all] = [await this.#host.modelTools(), await this.#host.tools()];
    return {
      tools: tools.map((tool) => {
        const server = this.#host.find(tool.name)?.server;
        return { tool, tokens: estimateTokens(tool), ...(server !== undefined && { server }) };
      }),
      servers: [...this.#servers].map(([name, { id }]) => ({
        name,
        connection: id,
        tools: all.filter(({ server }) => server === name).length,
      })),
    };
  }

  /** Lets the model answer: it calls tools until a rule, or none, answers with text. Each rule is used once. */
  async say(text: string, signal: AbortSignal): Promise<ConversationStep[]> {
    const steps = [this.#add({ kind: "user", text })];
    const used = new Set<number>();
    let last = text;
    for (let turn = 0; turn < maxTurns; turn++) {
      const model = this.#parts.model();
      const rules = model.rules.map((rule, at) => (used.has(at) ? { when: "\0" } : rule));
      const reply = replyOf({ ...model, rules }, last, true);
      if (reply.rule !== undefined) used.add(reply.rule);
      if (reply.text !== "" || !reply.call) steps.push(this.#add(withRule(reply)));
      if (!reply.call) break;
      const { call, result } = await this.#call(reply.call, signal);
      steps.push(call, result);
      last = toText(result.kind === "result" ? result.result : { content: [] });
    }
    return steps;
  }

  async search(query: string): ReturnType<Host["search"]> {
    return this.#host.search(query);
  }

  /** Notes a question that a server of this conversation has asked. */
  onQuestion({ id, connection, kind }: Question): void {
    const isOurs = this.#parts.connections.some((one) => one.id === connection);
    if (isOurs && this.#count < maxSteps) this.#add({ kind: "asked", question: id, what: kind });
  }

  close(): Promise<void> {
    return this.#host.close();
  }

  async #call(
    { tool, arguments: args }: NonNullable<ReturnType<typeof replyOf>["call"]>,
    signal: AbortSignal,
  ) {
    const found = this.#host.find(tool);
    const call = this.#add({ kind: "call", tool, arguments: args, ...(found && { server: found.server }) });
    const startedAt = performance.now();
    const connection = found && this.#servers.get(found.server);
    const { content, structuredContent, isError } = await (connection
      ? callOver(connection, found.tool.name, args, signal)
      : this.#host.call(tool, args, { signal }));
    const ms = Math.round((performance.now() - startedAt) * 10) / 10;
    const result = {
      content,
      isError: isError === true,
      ...(structuredContent !== undefined && { structuredContent }),
    };
    return { call, result: this.#add({ kind: "result", tool, result, ms }) };
  }

  #add(step: NewStep): ConversationStep {
    const tokens = Math.ceil(JSON.stringify(step).length / 4);
    const added = { ...step, index: this.#count++, at: Date.now(), tokens } as ConversationStep;
    this.#parts.onStep(added);
    return added;
  }
}

/** Calls a tool over the connection that is open, where its server asks the person as in the other views. */
async function callOver(
  { client }: InspectedConnection,
  tool: string,
  args: JsonObject,
  signal: AbortSignal,
): Promise<CallToolResult> {
  try {
    return await client.tools.call(tool, args, { signal });
  } catch (error) {
    if (signal.aborted) throw error;
    return { content: [{ type: "text", text: (error as Error).message }], isError: true };
  }
}

function withRule({ text, rule }: ReturnType<typeof replyOf>): NewStep {
  return { kind: "model", text, ...(rule !== undefined && { rule }) };
}

function toText({ content }: CallToolResult): string {
  return content.map((block) => (block.type === "text" ? block.text : "")).join("\n");
}

/** Names as models see them, each once. */
function nameServers(connections: readonly InspectedConnection[]): Map<string, InspectedConnection> {
  const named = new Map<string, InspectedConnection>();
  for (const connection of connections) {
    const { info } = connection.client.server;
    const plain = (info?.name ?? connection.id).replaceAll(/[^\w-]+/g, "-").slice(0, 20) || connection.id;
    named.set(named.has(plain) ? `${plain}-${connection.id}` : plain, connection);
  }
  return named;
}
