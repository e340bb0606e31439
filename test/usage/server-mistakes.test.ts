import {
  audit,
  createServer,
  embed,
  image,
  link,
  McpError,
  prompt,
  rateLimit,
  resource,
  scopes,
  text,
  tool,
} from "allspeak";
import { bearer } from "allspeak/auth";
import { TaskRunner } from "allspeak/tasks";
import { faults } from "allspeak/testing";
import { expect, test } from "vitest";
import { z } from "zod";

// What only JavaScript, or a cast, can get wrong.
type Loose = (...given: unknown[]) => unknown;

const about = { name: "test", version: "1.0.0" };
const make = createServer as Loose;
const handler = () => "x";
const Runner = TaskRunner as unknown as new (...given: unknown[]) => unknown;
const call = (method: "tool" | "resource" | "prompt" | "method" | "onNotification" | "use" | "mount") => {
  const server = createServer(about);
  return (server[method] as Loose).bind(server);
};

interface Mistake {
  readonly what: string;
  readonly code?: "usage" | "registration";
  readonly run: () => unknown;
  readonly says: string;
}

const createServerMistakes: readonly Mistake[] = [
  { what: "no options", run: () => make(), says: "takes an object of options, such as { name, version" },
  { what: "a name as a string", run: () => make("notes"), says: 'not "notes"' },
  { what: "no version", run: () => make({ name: "notes" }), says: "needs a name and a version" },
  {
    what: "a tool that is not in an array",
    run: () => make({ ...about, tools: tool("a", {}, handler) }),
    says: 'the option "tools" must be an array, not an object',
  },
  {
    what: "a prompt among the tools",
    run: () => make({ ...about, tools: [prompt("a", {}, handler)] }),
    says: 'tools has prompts; use the option "prompts"',
  },
  {
    what: "a tool among the resources",
    run: () => make({ ...about, resources: [tool("a", {}, handler)] }),
    says: 'resources has tools; use the option "tools"',
  },
  {
    what: "an object that is not a tool",
    code: "registration",
    run: () => make({ ...about, tools: [{ name: "a" }] }),
    says: "make it with tool(name, options, handler)",
  },
  {
    what: "a function as a tool",
    code: "registration",
    run: () => make({ ...about, tools: [handler] }),
    says: "a function is not a tool",
  },
  {
    what: "a capability that no client has",
    run: () => make({ ...about, requires: ["elicitaton"] }),
    says: 'the option "requires" must be an array of elicitation, sampling, roots',
  },
  { what: "a misspelled option", run: () => make({ ...about, tolls: [] }), says: 'did you mean "tools"?' },
  {
    what: "two swapped letters in an option",
    run: () => make({ ...about, reqiures: [] }),
    says: 'did you mean "requires"?',
  },
  {
    what: "an option that does not exist",
    run: () => make({ ...about, transport: 1 }),
    says: 'has no option "transport"; there are name, version',
  },
  {
    what: "a capability that is not in a list",
    run: () => make({ ...about, requires: "sampling" }),
    says: 'the option "requires" must be an array of elicitation, sampling, roots',
  },
  {
    what: "no revisions",
    run: () => make({ ...about, revisions: [] }),
    says: "revisions is empty; choose from",
  },
  {
    what: "an unknown revision",
    run: () => make({ ...about, revisions: ["2025-01-01"] }),
    says: '"2025-01-01" is not a revision',
  },
  {
    what: "no time for a lease",
    run: () => make({ ...about, tasks: { leaseMs: 0 } }),
    says: 'the option "tasks.leaseMs" must be a number greater than 0',
  },
  {
    what: "a concurrency that is not a number",
    run: () => make({ ...about, tasks: { concurrency: "4" } }),
    says: '"tasks.concurrency" must be a number greater than 0, not "4"',
  },
  { what: "an unknown log level", run: () => make({ ...about, logLevel: "warn" }), says: '"warning"' },
];

const registrationMistakes: readonly Mistake[] = [
  { what: "a tool without a handler", run: () => call("tool")("add", {}), says: "needs a handler function" },
  {
    what: "a tool with its handler in the place of its options",
    run: () => call("tool")("add", handler),
    says: 'write {} if there are none: tool("add", {}, handler)',
  },
  {
    what: "a tool whose handler is in the options",
    run: () => call("tool")("add", { handler }, undefined),
    says: "as its last argument",
  },
  {
    what: "a mount without a prefix",
    code: "registration",
    run: () => call("mount")(createServer(about)),
    says: "mount takes a prefix before the server",
  },
  {
    what: "a tool without a name",
    run: () => call("tool")(undefined, {}, handler),
    says: "needs a name that is a string, not undefined",
  },
  {
    what: "an inputSchema, as other libraries have it",
    run: () => call("tool")("add", { inputSchema: { type: "object" } }, handler),
    says: 'has no option "inputSchema"; did you mean "input"?',
  },
  {
    what: "a shape in the place of the options",
    run: () => call("tool")("add", { a: z.number() }, handler),
    says: 'A schema of arguments is the option "input".',
  },
  {
    what: "a schema in the place of the options",
    run: () => call("tool")("add", z.object({ a: z.number() }), handler),
    says: 'A schema of arguments is the option "input".',
  },
  {
    what: "a hint without its ending",
    run: () => call("tool")("add", { annotations: { readOnly: true } }, handler),
    says: 'has no option "annotations.readOnly"; did you mean "readOnlyHint"?',
  },
  {
    what: "a map of properties in the place of a JSON Schema",
    run: () => call("tool")("add", { input: { a: { type: "string" }, b: { enum: [1] } } }, handler),
    says: 'The schema must be {"type": "object", "properties": …}.',
  },
  {
    what: "the URI template note://name}",
    run: () => call("resource")("note://name}", {}, handler),
    says: 'Resource "note://name}" is not a URI or template: URI template "note://name}", character 12: stray "}"',
  },
  ...[
    "note://:name",
    `note://\${name}`,
    "notes",
    "notes/{id}",
    "no scheme/{id}",
    "//notes/{id}",
    "1x://{id}",
  ].map((uri) => ({
    what: `the URI template ${uri}`,
    run: () => call("resource")(uri, {}, handler),
    says: `Resource "${uri}" is not a URI or template such as note://{id}.`,
  })),
  {
    what: "a resource without a handler",
    run: () => call("resource")("test://a", {}),
    says: "needs a handler",
  },
  {
    what: "a completer of a variable that the template lacks",
    run: () => call("resource")("test://{id}", { complete: { ids: () => [] } }, handler),
    says: 'completes "ids", which it does not have; did you mean "id"?',
  },
  { what: "a prompt without a handler", run: () => call("prompt")("greet", {}), says: "needs a handler" },
  {
    what: "a prompt without a name",
    run: () => call("prompt")(undefined, {}, handler),
    says: "needs a name",
  },
  {
    what: "a description in the place of a prompt's options",
    run: () => call("prompt")("greet", "Greets", handler),
    says: 'write { description: "Greets" }',
  },
  {
    what: "a number as the argument of a prompt",
    run: () => call("prompt")("greet", { args: { times: z.number() } }, handler),
    says: 'has the argument "times" of type number, but arguments of prompts are strings',
  },
  {
    what: "a completer of an argument that the prompt lacks",
    run: () => call("prompt")("greet", { args: { who: z.string() }, complete: { hwo: () => [] } }, handler),
    says: 'completes "hwo", which it does not have; did you mean "who"?',
  },
  {
    what: "suggestions in the place of a completer",
    run: () => call("prompt")("greet", { args: { who: z.string() }, complete: { who: ["a"] } }, handler),
    says: "by a function, not an array",
  },
  {
    what: "a mount of nothing",
    run: () => call("mount")("x"),
    says: "takes a server value or a connected client",
  },
  {
    what: "a mount of a client that is not connected yet",
    run: () => call("mount")("x", Promise.resolve()),
    says: "not a Promise that is not awaited",
  },
];

const otherMistakes: readonly Mistake[] = [
  { what: "no limit", run: () => (rateLimit as Loose)(), says: "rateLimit takes an object of options" },
  { what: "a misspelled limit", run: () => (rateLimit as Loose)({ call: 5 }), says: 'did you mean "calls"?' },
  { what: "an audit without a sink", run: () => (audit as Loose)(), says: "audit takes a function" },
  {
    what: "scopes in a list",
    run: () => (scopes as Loose)(["a"]),
    says: "scopes needs names without spaces",
  },
  { what: "no tokens", run: () => (bearer as Loose)(), says: "bearer takes an object of options" },
  {
    what: "a misspelled option of tokens",
    run: () => (bearer as Loose)({ issuer: "https://a.example", scope: ["a"] }),
    says: 'did you mean "scopes"?',
  },
  { what: "a runner of nothing", run: () => new Runner(), says: "TaskRunner takes an object of options" },
  {
    what: "a misspelled fault",
    run: () => (faults as Loose)({ dropp: 1 }),
    says: 'faults has no option "dropp"; did you mean "drop"?',
  },
  {
    what: "a runner without a lease",
    run: () => new Runner(createServer(about), { state: {}, leaseMs: 0 }),
    says: '"leaseMs" must be a number greater than 0',
  },
  {
    what: "an update of nothing",
    run: () => (createServer(about).resources.updated as Loose)(),
    says: "server.resources.updated takes a string, not undefined",
  },
  {
    what: "a middleware that is not a function",
    run: () => call("use")({}),
    says: "server.use takes a function",
  },
  {
    what: "a method with its handler in the place of its options",
    run: () => call("method")("acme/x", handler),
    says: "server.method takes an object of options",
  },
  {
    what: "a listener in the place of the options",
    run: () => call("onNotification")("acme/x", handler),
    says: "server.onNotification takes an object of options",
  },
  {
    what: "a link from an object",
    run: () => (link as Loose)({ uri: "test://a" }),
    says: 'link takes a URI as a string, such as link("file:///a.txt", { name: "a" }), not an object',
  },
  { what: "text that is a number", run: () => (text as Loose)(5), says: "text takes a string, not 5" },
  {
    what: "an image without a type",
    run: () => (image as Loose)(new Uint8Array(1)),
    says: 'image takes a MIME type, such as "image/png", not undefined',
  },
  {
    what: "an image from a data URL",
    run: () => image("data:image/png;base64,AAAA", "image/png"),
    says: 'image takes a Uint8Array, or base64 as a string, not "data:image/png;base64,AAAA"',
  },
  {
    what: "an image from an ArrayBuffer",
    run: () => (image as Loose)(new ArrayBuffer(1), "image/png"),
    says: "image takes a Uint8Array, or base64 as a string, not an ArrayBuffer",
  },
  {
    what: "an embedded resource without contents",
    run: () => (embed as Loose)({ uri: "test://a" }),
    says: "embed takes contents such as { uri, text } or { uri, blob }",
  },
];

const all = [
  ...createServerMistakes.map((mistake) => ({ code: "usage", ...mistake })),
  ...registrationMistakes.map((mistake) => ({ code: "registration", ...mistake })),
  ...otherMistakes.map((mistake) => ({ code: "usage", ...mistake })),
];

test.each(all)("$what is refused at once, in words", ({ run, code, says }) => {
  expect(run).toThrow(expect.objectContaining({ code, message: expect.stringContaining(says) }));
  expect(run).toThrow(McpError);
});

test("options that are undefined, schemas of every kind and converted arguments are accepted", () => {
  const server = createServer({
    ...about,
    title: undefined,
    tools: [tool("a", { input: z.object({ a: z.number() }), title: undefined }, handler)],
    resources: [
      resource("test://host:80/a:b/%7Bc%7D", {}, handler),
      resource("{+uri}", {}, handler),
      resource("{scheme}://x", {}, handler),
      resource("x-{kind}:a", {}, handler),
      resource("test://{id}", { complete: { id: () => ["1"] } }, handler),
    ],
    prompts: [
      prompt(
        "p",
        { args: { times: z.coerce.number().min(2), at: z.string(), yes: z.coerce.boolean() } },
        handler,
      ),
    ],
  });
  expect(server.info.name).toBe("test");
});
