import { type Context, createServer, type LogEntry, text } from "allspeak";
import { connect } from "allspeak/client";
import { expect, test } from "vitest";
import { z } from "zod";

const handler = (value: unknown) => (() => value) as () => never;

/** The problem in the log of a server whose handler returned a value, and what its client got. */
async function answerOf(
  register: (server: ReturnType<typeof createServer>) => unknown,
  ask: (client: Awaited<ReturnType<typeof connect>>) => Promise<unknown>,
) {
  const log: LogEntry[] = [];
  const server = createServer({ name: "test", version: "1.0.0", log: (entry) => void log.push(entry) });
  register(server);
  const client = await connect(server, { onProblem: (problem) => expect.fail(problem.message) });
  const answer = await ask(client).catch((error: unknown) => error);
  await client.close();
  return { answer, cause: log[0]?.cause };
}

const problem = (says: string) => ({ code: "invalid-output", message: expect.stringContaining(says) });

const circular: Record<string, unknown> = {};
circular.self = circular;

test.each([
  ["an Error", new TypeError("no"), "returned a TypeError, which JSON can't hold; throw it"],
  ["a Map", new Map([["a", 1]]), "returned a Map, which JSON can't hold; return Object.fromEntries(map)"],
  ["a Set", new Set([1]), "returned a Set, which JSON can't hold; return [...set]"],
  [
    "bytes",
    new Uint8Array([1]),
    "returned a Uint8Array, which JSON can't hold; return image(bytes, mimeType)",
  ],
  ["a buffer", new ArrayBuffer(1), "returned an ArrayBuffer"],
  ["a Buffer", Buffer.from("x"), "returned a Buffer, which JSON can't hold; return image(bytes, mimeType)"],
  ["a Buffer within data", { rows: [Buffer.from("x")] }, 'returned a Buffer at "rows[0]", which'],
  ["an Error with members", Object.assign(new Error("no"), { errno: 2 }), "returned an Error"],
  [
    "a Response",
    new Response("x"),
    "returned a Response, which JSON can't hold; return await response.text()",
  ],
  ["a generator", (function* () {})(), "which JSON can't hold; return an array of its values"],
  ["an expression", /x/, "returned a RegExp, which JSON can't hold; return a string, content or a plain"],
  ["a Map within data", { rows: [new Map()] }, 'returned a Map at "rows[0]", which JSON'],
  ["a list with a Set in it", [1, { tags: new Set() }], 'returned a Set at "[1].tags", which JSON'],
  ["a promise within data", { later: Promise.resolve(1) }, "returned a Promise"],
  ["a BigInt", 1n, "can't be written as JSON: Do not know how to serialize a BigInt."],
  [
    "a BigInt within data",
    { rows: [{ id: 1 }, { id: 1n }] },
    `can't be written as JSON at "rows[1].id": Do not know how to serialize a BigInt.`,
  ],
  [
    "data that contains itself",
    { rows: [circular] },
    `can't be written as JSON at "rows[0].self": Converting circular structure to JSON.`,
  ],
  ["a function", () => {}, "returned a function, which can't be written as JSON"],
  ["text content without text", { type: "text" }, "content[0].text must be a string"],
  ["a message whose text is a number", { content: [{ type: "text", text: 5 }] }, "content[0].text must be"],
  ["a link without a name", [text("a"), { type: "resource_link", uri: "x:y" }], "content[1].name must be"],
  [
    "a misspelled kind of content",
    { content: [{ type: "txt", text: "x" }] },
    'content[0].type "txt" is not a kind of content; did you mean "text"?',
  ],
  [
    "a misspelled kind of content in a list",
    [text("a"), { type: "txt", text: "x" }],
    'content[1].type "txt" is not a kind of content; did you mean "text"?',
  ],
  [
    "content of a misspelled kind alone",
    { type: "Image", data: "eA==", mimeType: "image/png" },
    'content[0].type "Image" is not a kind of content',
  ],
  [
    "a link of a misspelled kind",
    [{ type: "resource-link", uri: "x:y", name: "y", title: "Y" }],
    'did you mean "resource_link"?',
  ],
  ["a list of text as content", { content: ["x"] }, "content is not a list of content; return { content:"],
  ["an object as content", { content: { type: "text", text: "x" } }, "content is not a list of content"],
  ["text as content", { content: "x", _meta: {} }, "content is not a list of content"],
  ["an error whose content is text", { isError: true, content: "no" }, "throw new ToolError"],
])("a tool that returns %s fails, and the log says why", async (_, returned, says) => {
  const { answer, cause } = await answerOf(
    (server) => server.tool("give", {}, handler(returned)),
    (client) => client.tools.call("give"),
  );
  expect(answer).toMatchObject({
    isError: true,
    content: [{ text: expect.stringMatching(/^Internal error/) }],
  });
  expect(cause).toMatchObject(problem(says));
});

test.each([
  ["empty objects", { a: {}, b: [{}] }, '{"a":{},"b":[{}]}'],
  ["an object with numbered members", { 0: "a" }, '{"0":"a"}'],
  ["data with a type of its own", { type: "user", id: 1 }, '{"type":"user","id":1}'],
  [
    "data with a type and a text",
    { type: "test", text: "x", line: 1 },
    '{"type":"test","text":"x","line":1}',
  ],
  [
    "items with types like those of content",
    [
      { type: "next", text: "On" },
      { type: "previous", text: "Back" },
    ],
    '[{"type":"next","text":"On"},{"type":"previous","text":"Back"}]',
  ],
  ["data without what its type would need", { type: "images", uri: "x:y" }, '{"type":"images","uri":"x:y"}'],
  ["a date", { at: new Date(0) }, '{"at":"1970-01-01T00:00:00.000Z"}'],
  ["a number", 5, "5"],
  ["a boolean", false, "false"],
  ["null", null, "null"],
  ["a URL", { at: new URL("https://a.example/"), none: {} }, '{"at":"https://a.example/","none":{}}'],
  ["data in the form of a Buffer", { type: "Buffer", data: [] }, '{"type":"Buffer","data":[]}'],
  ["data with a content of its own", { path: "a", content: "x" }, '{"path":"a","content":"x"}'],
])("a tool may return %s", async (_, returned, sent) => {
  const { answer } = await answerOf(
    (server) => server.tool("give", {}, handler(returned)),
    (client) => client.tools.call("give"),
  );
  expect(answer).toMatchObject({ content: [{ type: "text", text: sent }] });
});

test("structured content that JSON can't hold fails, and the log says why", async () => {
  const { cause } = await answerOf(
    (server) => server.tool("give", { output: { map: z.any() } }, () => ({ map: new Map() })),
    (client) => client.tools.call("give"),
  );
  expect(cause).toMatchObject(problem("returned a Map"));
});

test.each([
  [
    "an object without text",
    { a: 1 },
    "returned an object; return text, bytes (Uint8Array), { text } or { blob }",
  ],
  ["nothing", undefined, "throw ResourceNotFoundError(uri) if there is nothing"],
  ["a number", 5, "returned 5"],
  ["contents without text", { contents: [{ uri: "test://a" }] }, "returned an object"],
  ["bytes as a blob", { blob: new Uint8Array(1) }, "returned an object"],
])("a resource that returns %s fails, and the log says why", async (_, returned, says) => {
  const { answer, cause } = await answerOf(
    (server) => server.resource("test://a", {}, handler(returned)),
    (client) => client.resources.read("test://a"),
  );
  expect(answer).toMatchObject({ code: "rpc", wireCode: -32603 });
  expect(cause).toMatchObject(problem(says));
});

test.each([
  ["resources without a name", [{ uri: "test://1" }], "[0].name must be a string"],
  ["nothing", undefined, " must be a list"],
])("a template that lists %s fails, and the log says why", async (_, returned, says) => {
  const { answer, cause } = await answerOf(
    (server) => server.resource("test://{id}", { list: handler(returned) }, () => "x"),
    (client) => client.resources.list().all(),
  );
  expect(answer).toMatchObject({ code: "rpc", wireCode: -32603 });
  expect(cause).toMatchObject(problem(`The list of "test://{id}" can't be sent: resources${says}.`));
});

test.each([
  [
    "a message of the system",
    [{ role: "system", content: text("a") }],
    "messages[0].role must be one of user",
  ],
  ["a message with plain text", [{ role: "user", content: "a" }], "messages[0].content must be an object"],
  ["nothing", undefined, "returned undefined that can't be sent"],
  ["messages that are not a list", { messages: "a" }, "messages must be a list"],
])("a prompt that returns %s fails, and the log says why", async (_, returned, says) => {
  const { answer, cause } = await answerOf(
    (server) => server.prompt("ask", {}, handler(returned)),
    (client) => client.prompts.get("ask"),
  );
  expect(answer).toMatchObject({ code: "rpc", wireCode: -32603 });
  expect(cause).toMatchObject(problem(says));
});

test.each([
  ["numbers", [1, 2], "must return strings, or { values } of strings, not 1"],
  ["nothing", undefined, "not undefined"],
  ["a list with a gap", ["a", undefined], "not undefined"],
  ["an object without values", { total: 1 }, "not an object"],
])("a completer that returns %s fails, and the log says why", async (_, returned, says) => {
  const { answer, cause } = await answerOf(
    (server) =>
      server.prompt("ask", { args: { n: z.string() }, complete: { n: handler(returned) } }, () => "x"),
    (client) => client.complete({ type: "ref/prompt", name: "ask" }, { name: "n", value: "" }),
  );
  expect(answer).toMatchObject({ code: "rpc", wireCode: -32603 });
  expect(cause).toMatchObject(problem(says));
});

test.each([
  [
    "a progress that is not a number",
    (ctx: Context) => ctx.progress("half" as never),
    "ctx.progress takes a number",
  ],
  [
    "a once without a function",
    (ctx: Context) => ctx.once("x", undefined as never),
    "ctx.once takes a function",
  ],
  [
    "an elicitation with a misspelled option",
    (ctx: Context) => ctx.elicit("name", "Your name?", { name: z.string() }, { fallbck: 1 } as never),
    'ctx.elicit has no option "fallbck"; did you mean "fallback"?',
  ],
  [
    "an elicitation without a name and with an unknown option",
    (ctx: Context) => ctx.elicit("Your name?", { name: z.string() }, { timeout: 5 } as never),
    'ctx.elicit: the option "timeout" must be an object, not 5',
  ],
  [
    "a URL elicitation of a script",
    (ctx: Context) => ctx.elicit("Log in", { url: "javascript:alert(1)" }),
    'ctx.elicit: the option "url" must be a URL that begins with http:// or https://',
  ],
  [
    "a URL elicitation of no URL",
    (ctx: Context) => ctx.elicit("Log in", { url: "not a url" }),
    'ctx.elicit: the option "url" must be a URL that begins with http:// or https://',
  ],
  [
    "a URL elicitation with an unknown member",
    (ctx: Context) => ctx.elicit("Log in", { url: "https://a.example/", elicitationId: "1" } as never),
    'ctx.elicit has no option "elicitationId"',
  ],
  [
    "a sampling with a misspelled member",
    (ctx: Context) => ctx.sample({ messages: [], maxTokens: 5, system: "x" } as never),
    'ctx.sample has no option "system"; did you mean "systemPrompt"?',
  ],
  [
    "a sampling without a limit",
    (ctx: Context) => ctx.sample({ messages: [] } as never),
    "ctx.sample takes a request such as { messages: [{ role, content }], maxTokens: 500 }",
  ],
  [
    "a sampling with an unknown option",
    (ctx: Context) => ctx.sample("a", { messages: [], maxTokens: 5 }, { signal: 1 } as never),
    'ctx.sample has no option "signal"',
  ],
  [
    "roots with a misspelled option",
    (ctx: Context) => ctx.roots({ fallbak: [] } as never),
    'ctx.roots has no option "fallbak"; did you mean "fallback"?',
  ],
  [
    "a custom request with an unknown option",
    (ctx: Context) => ctx.request("acme/x", {}, { retry: true } as never),
    'ctx.request has no option "retry"',
  ],
  [
    "a sampling of plain text",
    (ctx: Context) => ctx.sample("hello" as never),
    "ctx.sample takes a request such as",
  ],
])("%s fails the call, and the log says why", async (_, run, says) => {
  const { cause } = await answerOf(
    (server) => server.tool("give", {}, (_args, ctx) => run(ctx) as never),
    (client) => client.tools.call("give"),
  );
  expect(cause).toMatchObject({ code: "usage", message: expect.stringContaining(says) });
});

test("a middleware that returns nothing fails the call, and the log says what to write", async () => {
  const { answer, cause } = await answerOf(
    (server) =>
      server
        .use((async (call: { method: string }, next: () => Promise<unknown>) => {
          if (call.method === "tools/call") await next();
          else return next();
        }) as never)
        .tool("give", {}, () => "x"),
    (client) => client.tools.call("give"),
  );
  expect(answer).toMatchObject({ code: "rpc", wireCode: -32603 });
  expect(cause).toMatchObject({ code: "usage", message: expect.stringContaining('"return next()"') });
});

test("a middleware of a client that returns nothing rejects the call, and says what to write", async () => {
  const { answer } = await answerOf(
    (server) => server.tool("give", {}, () => "x"),
    (client) =>
      client.use((async (_: unknown, next: () => Promise<unknown>) => void (await next())) as never).ping(),
  );
  expect(answer).toMatchObject({ code: "usage", message: expect.stringContaining('"return next()"') });
});

test.each([
  ["a Map", new Map([["a", 1]]), "it is a Map; return Object.fromEntries(…) of it."],
  ["a Set within data", { seats: [new Set([1])] }, '"0" is a Set; return an array of it.'],
  ["a function", () => {}, "it is a function; return a value."],
  ["a promise within data", { seat: Promise.resolve(1) }, '"seat" is a Promise that is not awaited; await'],
  ["a BigInt", 1n, "it is not JSON."],
])("a ctx.once that returns %s fails, and the log says why", async (_, returned, says) => {
  const { answer, cause } = await answerOf(
    (server) => server.tool("reserve", {}, (_, ctx) => ctx.once("seat", () => returned).then(() => "done")),
    (client) => client.tools.call("reserve"),
  );
  expect(answer).toMatchObject({ isError: true });
  expect(cause).toMatchObject({
    code: "usage",
    message: expect.stringContaining(`can't be stored: ${says}`),
  });
});

test("a ctx.once may return what says itself how it is written", async () => {
  class Seats extends Map<string, number> {
    toJSON() {
      return Object.fromEntries(this);
    }
  }
  const { answer } = await answerOf(
    (server) =>
      server.tool("reserve", {}, async (_, ctx) =>
        JSON.stringify(await ctx.once("a", () => new Seats([["a", 1]]))),
      ),
    (client) => client.tools.call("reserve"),
  );
  expect(answer).toMatchObject({ content: [{ text: '{"a":1}' }] });
});
