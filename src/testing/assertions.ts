import { AssertionError, deepStrictEqual } from "node:assert";
import { RpcError } from "../errors.ts";
import { isObject, type JsonObject } from "../lib/json.ts";
import { describeValue } from "../lib/text/describe-value.ts";
import { describeIssues } from "../lib/text/issue.ts";
import type { CallToolResult, Tool } from "../protocol/model/tool.ts";
import { compilePeerValidator } from "../schema/validator/peer-validator.ts";

/** The result of a tool, of a prompt, or of reading a resource. */
export type AnyResult =
  | Pick<CallToolResult, "content" | "isError" | "structuredContent">
  | { readonly messages: readonly { readonly content: unknown }[] }
  | { readonly contents: readonly unknown[] };

/** Asserts that the text of a result is this one, or matches. Several blocks are joined by line breaks. */
export function assertText(result: AnyResult, expected: string | RegExp): void {
  const actual = textOf(result);
  if (typeof expected === "string" ? actual === expected : expected.test(actual)) return;
  const wanted = typeof expected === "string" ? JSON.stringify(expected) : String(expected);
  fail("toHaveText", actual, expected, `The text of the result is ${JSON.stringify(actual)}, not ${wanted}.`);
}

/** Asserts that a tool failed with an error for the model, and with this text if one is given. */
export function assertToolError(result: AnyResult, expected?: string | RegExp): void {
  if (!isToolError(result))
    fail(
      "toBeToolError",
      false,
      true,
      `The tool did not fail; it answered ${JSON.stringify(textOf(result))}.`,
    );
  if (expected !== undefined) assertText(result, expected);
}

/** Asserts that a tool did not fail. */
export function assertToolSuccess(result: AnyResult): void {
  if (isToolError(result)) fail("toBeToolSuccess", true, false, `The tool failed: ${textOf(result)}`);
}

/** Asserts that the structured content of a result is this, and nothing more. */
export function assertStructured(result: AnyResult, expected: unknown): void {
  const actual = structuredOf(result);
  if (actual === undefined) fail("toHaveStructured", actual, expected, describeUnstructured(result));
  deepStrictEqual(actual, expected);
}

/** Asserts that the content of a result has blocks of these types, in this order. */
export function assertContentTypes(result: AnyResult, expected: readonly string[]): void {
  const actual = blocksOf(result).map((block) =>
    isObject(block) ? String(block.type ?? kindOf(block)) : "nothing",
  );
  deepStrictEqual(actual, [...expected]);
}

/** Asserts that the structured content of a result is what the output schema of its tool allows. */
export async function assertOutputSchema(
  result: AnyResult,
  schema: Pick<Tool, "outputSchema"> | JsonObject,
): Promise<void> {
  const outputSchema = (schema.outputSchema ?? schema) as JsonObject;
  if ("inputSchema" in schema && schema.outputSchema === undefined)
    fail(
      "toMatchOutputSchema",
      undefined,
      undefined,
      `The tool ${describeValue(schema.name)} has no output schema.`,
    );
  const actual = structuredOf(result);
  if (actual === undefined) fail("toMatchOutputSchema", actual, outputSchema, describeUnstructured(result));
  const checked = (await compilePeerValidator(outputSchema)).validate(actual);
  if (checked.ok) return;
  const issues = describeIssues(checked.issues);
  fail(
    "toMatchOutputSchema",
    actual,
    outputSchema,
    `The structured content does not match the schema:\n${issues}`,
  );
}

/** Asserts that an error is the answer of a peer with this code, and with this text if one is given. */
export function assertRpcError(error: unknown, code: number, expected?: string | RegExp): void {
  if (!(error instanceof RpcError))
    fail("toBeRpcError", error, code, `${describeValue(error)} is not an error of the protocol.`);
  const { wireCode, message } = error;
  if (wireCode !== code)
    fail("toBeRpcError", wireCode, code, `The code of the error is ${wireCode}, not ${code}: ${message}`);
  if (
    expected === undefined ||
    (typeof expected === "string" ? message === expected : expected.test(message))
  )
    return;
  fail(
    "toBeRpcError",
    message,
    expected,
    `The message of the error is ${JSON.stringify(message)}, not ${expected}.`,
  );
}

function fail(operator: string, actual: unknown, expected: unknown, message: string): never {
  throw new AssertionError({ actual, expected, operator, message });
}

function isToolError(result: AnyResult): boolean {
  return "isError" in result && result.isError === true;
}

/** The message for a result without structured content, with the reason of a tool that failed. */
function describeUnstructured(result: AnyResult): string {
  const missing = "The result has no structured content";
  return isToolError(result) ? `${missing}: the tool failed: ${textOf(result)}` : `${missing}.`;
}

function structuredOf(result: AnyResult): unknown {
  return "structuredContent" in result ? result.structuredContent : undefined;
}

function blocksOf(result: AnyResult): readonly unknown[] {
  if ("messages" in result) return result.messages.flatMap(({ content }) => content);
  if ("contents" in result) return result.contents;
  return result.content;
}

function textOf(result: AnyResult): string {
  if (!isObject(result) || !("content" in result || "messages" in result || "contents" in result))
    fail(
      "toHaveText",
      result,
      undefined,
      `${describeValue(result)} is not the result of a tool, a prompt or a resource.`,
    );
  return blocksOf(result)
    .flatMap((block) => {
      const text =
        isObject(block) && isObject(block.resource) ? block.resource.text : isObject(block) && block.text;
      return typeof text === "string" ? [text] : [];
    })
    .join("\n");
}

/** The kind of the contents of a resource. */
function kindOf(contents: JsonObject): string {
  return "blob" in contents ? "blob" : "text";
}
