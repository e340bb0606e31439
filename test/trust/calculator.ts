import { createServer, type Server, tool } from "allspeak";
import { type Client, type ConnectOptions, connect } from "allspeak/client";
import { onTestFinished } from "vitest";

/** The tool whose definition a test changes. */
export interface Definition {
  readonly description?: string;
  readonly schema?: { readonly [keyword: string]: unknown };
  readonly readOnly?: boolean;
}

export const asBefore: Definition = { description: "Adds two numbers.", readOnly: true };

export function serverWith(
  name: string,
  { description = "", schema, readOnly }: Definition = asBefore,
): Server<unknown> {
  const input = schema ?? { type: "object", properties: { a: { type: "number", description: "First" } } };
  const annotations = { readOnlyHint: readOnly ?? true };
  return createServer({
    name: "calculator",
    version: "1.0.0",
    tools: [tool(name, { description, input, annotations }, () => "done"), tool("other", {}, () => "other")],
  });
}

export async function open(
  server: Server<unknown>,
  options: ConnectOptions,
): Promise<{ client: Client; problems: Error[] }> {
  const problems: Error[] = [];
  const client = await connect(server, {
    serverId: "calculator",
    onProblem: (problem) => problems.push(problem),
    ...options,
  });
  onTestFinished(() => client.close());
  return { client, problems };
}

export async function names(client: Client): Promise<string[]> {
  return (await client.tools.list().all()).map(({ name }) => name);
}
