// The calls of a typed client that the compiler accepts and refuses: prompts and resources, beside tools.
import { createServer, prompt, resource, tool } from "allspeak";
import { type Client, type ClientOf, connect } from "allspeak/client";
import { z } from "zod";

const hi = tool("hi", {}, () => "hello");
const server = createServer({
  name: "typed",
  version: "1.0.0",
  tools: [hi],
  prompts: [
    prompt("plain", {}, () => "text"),
    prompt(
      "review",
      {
        args: z.object({
          code: z.string(),
          lines: z.coerce.number(),
          tone: z.enum(["kind", "strict"]).optional(),
        }),
      },
      () => "text",
    ),
    prompt("shape", { args: { topic: z.string() } }, () => "text"),
  ],
  resources: [
    resource("app://about", {}, () => "text"),
    resource("note://{owner}/{name}{?page}", {}, () => "text"),
  ],
});

export async function use(): Promise<void> {
  const { prompts, resources } = await connect<typeof server>(server);

  await prompts.get("plain");
  await prompts.get("review", { code: "x", lines: "3" });
  await prompts.get("review", { code: "x", lines: "3", tone: "kind" }, { timeout: { total: 10 } });
  await prompts.get("shape", { topic: "cats" });
  // @ts-expect-error There is no such prompt.
  await prompts.get("reviews", { code: "x", lines: "3" });
  // @ts-expect-error Arguments are missing.
  await prompts.get("review");
  // @ts-expect-error An argument is missing.
  await prompts.get("review", { code: "x" });
  // @ts-expect-error On the wire all arguments are strings.
  await prompts.get("review", { code: "x", lines: 3 });
  // @ts-expect-error There is no such tone.
  await prompts.get("review", { code: "x", lines: "3", tone: "loud" });

  await resources.read("app://about");
  await resources.read("app://about", { fresh: true });
  await resources.read("note://ada/cats");
  await resources.read("note://{owner}/{name}{?page}", { variables: { owner: "ada", name: "cats" } });
  await resources.read("note://{owner}/{name}{?page}", {
    variables: { owner: "ada", name: "cats", page: "2" },
    fresh: true,
  });
  // A URI that is known only at run time is not checked.
  for await (const { uri } of resources.list()) await resources.read(uri);
  // @ts-expect-error There is no such resource.
  await resources.read("app://abuot");
  // @ts-expect-error The variables are missing.
  await resources.read("note://{owner}/{name}{?page}");
  // @ts-expect-error A variable is missing.
  await resources.read("note://{owner}/{name}{?page}", { variables: { owner: "ada" } });
  // @ts-expect-error There is no such variable.
  await resources.read("note://{owner}/{name}{?page}", { variables: { owner: "a", name: "b", pag: "2" } });
}

/** Without types, and with those of a server whose prompts and resources were added later, everything is accepted. */
export async function useUntyped(): Promise<void> {
  const later = createServer({ name: "later", version: "1.0.0", tools: [] });
  later.prompt("any", {}, () => "text");
  const clients: Client[] = [await connect("https://example.com/mcp"), await connect<typeof server>(server)];
  for (const { prompts, resources } of [...clients, await connect<typeof later>(later)]) {
    await prompts.get("any", { a: "b" });
    await resources.read("any://thing");
    await resources.read("any://{thing}", { variables: { thing: "x" } });
  }
}

/** The type of a client by that of its server; and a file that an older command wrote, which knows only tools. */
export async function useNamed(client: ClientOf<typeof server>): Promise<void> {
  await client.prompts.get("shape", { topic: "cats" });
  const old = await connect<{
    readonly "~tools"?: { readonly sum: { input: { a: number }; output: unknown } };
  }>("x");
  await old.tools.call("sum", { a: 1 });
  await old.prompts.get("any");
}
