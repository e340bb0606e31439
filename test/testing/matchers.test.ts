import { image, text } from "allspeak";
import {
  assertContentTypes,
  assertOutputSchema,
  assertRpcError,
  assertStructured,
  assertText,
  assertToolError,
  assertToolSuccess,
  connectTest,
  type McpMatchers,
  matchers,
  zoo,
} from "allspeak/testing";
import { describe, expect, test } from "vitest";
import { methodNotFound } from "../../src/protocol/wire-error.ts";
import { failure } from "../support/open-client.ts";
import { restaurant } from "./restaurant.ts";

declare module "vitest" {
  // biome-ignore lint/suspicious/noExplicitAny: the name and the parameter are those of vitest.
  interface Matchers<T = any> extends McpMatchers<T> {}
}

expect.extend(matchers);

const plain = { content: [text("a"), image("AAAA", "image/png"), text("b")] };
const failed = { content: [text("No station near Atlantis.")], isError: true };
const structured = { content: [], structuredContent: { euros: 4 } };
const schema = { type: "object", properties: { euros: { type: "number" } }, required: ["euros"] };

test("each matcher passes where its assertion holds", async () => {
  expect(plain).toHaveText("a\nb");
  expect(plain).toHaveText(/^a/);
  expect(plain).toHaveContentTypes(["text", "image", "text"]);
  expect(plain).toBeToolSuccess();
  expect(failed).toBeToolError("No station near Atlantis.");
  expect(structured).toHaveStructured({ euros: 4 });
  await expect(structured).toMatchOutputSchema(schema);
  await expect(structured).toMatchOutputSchema({ name: "price", inputSchema: {}, outputSchema: schema });
  expect(methodNotFound("x")).toBeRpcError(-32601, /x/);
  expect(plain).not.toHaveText("b");
  expect(plain).not.toBeToolError();
  await expect({ content: [], structuredContent: {} }).not.toMatchOutputSchema(schema);
});

test("prompts and resources have texts, too", () => {
  expect({ messages: [{ content: text("Review") }, { content: [text("it")] }] }).toHaveText("Review\nit");
  expect({ contents: [{ uri: "a:b", text: "data" }] }).toHaveText("data");
  expect({ contents: [{ uri: "a:b", blob: "AA==" }] }).toHaveContentTypes(["blob"]);
});

describe("an assertion that does not hold says what is there instead", () => {
  test.each([
    [() => assertText(plain, "c"), 'The text of the result is "a\\nb", not "c".'],
    [() => assertToolError(plain), 'The tool did not fail; it answered "a\\nb".'],
    [() => assertToolSuccess(failed), "The tool failed: No station near Atlantis."],
    [() => assertStructured(plain, {}), "The result has no structured content."],
    [
      () => assertStructured(failed, {}),
      "The result has no structured content: the tool failed: No station near Atlantis.",
    ],
    [() => assertStructured(structured, { euros: 5 }), "euros"],
    [() => assertContentTypes(plain, ["text"]), "image"],
    [() => assertRpcError(methodNotFound("x"), -32602), "The code of the error is -32601, not -32602"],
    [() => assertRpcError(new TypeError("no"), -32602), "is not an error of the protocol."],
    [() => expect(plain).toHaveText("c"), 'The text of the result is "a\\nb", not "c".'],
    [() => expect(plain).not.toHaveText("a\nb"), "assertText holds, and was expected not to."],
  ])("%s", (assert, message) => {
    expect(assert).toThrow(message);
  });

  test("as a schema does, path by path", async () => {
    const error = await failure(
      assertOutputSchema({ content: [], structuredContent: { euros: "4" } }, schema),
    );
    expect(error.message).toMatch(/^The structured content does not match the schema:\n- euros: /);
    expect(error).toMatchObject({ code: "ERR_ASSERTION", actual: { euros: "4" } });
    const without = assertOutputSchema(structured, { name: "x", inputSchema: {} });
    expect((await failure(without)).message).toBe('The tool "x" has no output schema.');
  });
});

test("a tool is checked against the schema that its server lists", async () => {
  await using client = await connectTest(restaurant);
  const tools = await client.tools.list().all();
  const price = tools.find(({ name }) => name === "price");
  await expect(await client.tools.call("price", { dish: "soup" })).toMatchOutputSchema(price ?? {});
  await using liar = await connectTest(zoo.servers.lyingSchema().transport, { checkOutput: false });
  const [listed] = await liar.tools.list().all();
  await expect(await liar.tools.call("read")).not.toMatchOutputSchema(listed ?? {});
});
