// The shapes in which the libraries of model providers take tools and messages: their arrays are not readonly.
import { type Client, consentPolicy } from "allspeak/client";

interface FunctionTool {
  type: "function";
  function: { name: string; description?: string; parameters?: { [keyword: string]: unknown } };
}

interface SchemaTool {
  name: string;
  description?: string;
  input_schema: {
    type: "object";
    properties?: unknown | null;
    required?: string[] | null;
    [keyword: string]: unknown;
  };
}

interface Declaration {
  name?: string;
  description?: string;
  parametersJsonSchema?: unknown;
}

interface TextPart {
  type: "text";
  text: string;
}

interface ImagePart {
  type: "image";
  data: string;
  mimeType: string;
}

type Part =
  | TextPart
  | ImagePart
  | { type: "audio"; data: string; mimeType: string }
  | { type: "resource"; resource: Contents }
  | { type: "resource_link"; uri: string; name: string; mimeType?: string | undefined };

type Contents = { uri: string; mimeType?: string | undefined } & ({ text: string } | { blob: string });

declare const client: Client;
declare function takeFunctions(tools: FunctionTool[]): void;
declare function takeSchemas(tools: SchemaTool[]): void;
declare function takeDeclarations(tools: Declaration[]): void;
declare function takeMcpTools(
  tools: { name: string; description?: string | undefined; inputSchema: SchemaTool["input_schema"] }[],
  call: (
    name: string,
    args: Record<string, unknown>,
  ) => Promise<{ content: Part[]; isError?: boolean | undefined }>,
): void;
declare function takeMessages(messages: { role: "user" | "assistant"; content: Part }[]): void;
declare function takeContents(result: { contents: Contents[] }): void;

export async function fits(): Promise<void> {
  const tools = await client.tools.list().all();
  takeFunctions(
    tools.map(({ name, description = "", inputSchema }) => ({
      type: "function",
      function: { name, description, parameters: inputSchema },
    })),
  );
  takeSchemas(
    tools.map(({ name, description = "", inputSchema }) => ({
      name,
      description,
      input_schema: inputSchema,
    })),
  );
  takeDeclarations(tools.map(({ name, inputSchema }) => ({ name, parametersJsonSchema: inputSchema })));
  takeMcpTools(tools, async (name, args) => client.tools.call(name, args));
  takeMessages((await client.prompts.get("plan")).messages);
  takeContents(await client.resources.read("notes://1"));
}

// One literal, several, and neither a promise.
consentPolicy({ ask: async () => "once" });
consentPolicy({ ask: async ({ name }) => (name === "read" ? "always" : "no") });
consentPolicy({ ask: () => "never" });
consentPolicy({});
// @ts-expect-error: "yes" is not an answer.
consentPolicy({ ask: async () => "yes" });
