import { AssertionError } from "node:assert";
import {
  assertContentTypes,
  assertOutputSchema,
  assertRpcError,
  assertStructured,
  assertText,
  assertToolError,
  assertToolSuccess,
} from "./assertions.ts";

/** The types of the matchers, for `declare module "vitest" { interface Matchers<T> extends McpMatchers {} }`. */
export interface McpMatchers<Returned = void> {
  /** The text of the result is this one, or matches. */
  toHaveText(expected: string | RegExp): Returned;
  /** The tool failed with an error for the model, and with this text if one is given. */
  toBeToolError(expected?: string | RegExp): Returned;
  toBeToolSuccess(): Returned;
  /** The structured content of the result is this. */
  toHaveStructured(expected: unknown): Returned;
  /** The content of the result has blocks of these types. */
  toHaveContentTypes(expected: readonly string[]): Returned;
  /** The structured content matches the schema, or the one of the tool. Await it. */
  toMatchOutputSchema(toolOrSchema: object): Promise<Returned>;
  /** The error is the answer of a peer with this code. */
  toBeRpcError(code: number, message?: string | RegExp): Returned;
}

interface MatcherResult {
  readonly pass: boolean;
  readonly message: () => string;
  readonly actual?: unknown;
  readonly expected?: unknown;
}

type Matcher = (received: unknown, ...args: unknown[]) => MatcherResult | Promise<MatcherResult>;

/** Matchers for `expect.extend(matchers)` of vitest and Jest. The functions under them serve any other runner. */
export const matchers: Readonly<Record<keyof McpMatchers, Matcher>> = {
  toHaveText: toMatcher(assertText),
  toBeToolError: toMatcher(assertToolError),
  toBeToolSuccess: toMatcher(assertToolSuccess),
  toHaveStructured: toMatcher(assertStructured),
  toHaveContentTypes: toMatcher(assertContentTypes),
  toMatchOutputSchema: toAsyncMatcher(assertOutputSchema),
  toBeRpcError: toMatcher(assertRpcError),
};

function toMatcher<Received, Args extends unknown[]>(
  assert: (received: Received, ...args: Args) => void,
): Matcher {
  return (received, ...args) => {
    try {
      assert(received as Received, ...(args as Args));
      return passed(assert.name);
    } catch (error) {
      return failed(error);
    }
  };
}

function toAsyncMatcher<Received, Args extends unknown[]>(
  assert: (received: Received, ...args: Args) => Promise<void>,
): Matcher {
  return async (received, ...args) => {
    try {
      await assert(received as Received, ...(args as Args));
      return passed(assert.name);
    } catch (error) {
      return failed(error);
    }
  };
}

/** The message is shown for `.not`. */
function passed(name: string): MatcherResult {
  return { pass: true, message: () => `${name} holds, and was expected not to.` };
}

function failed(error: unknown): MatcherResult {
  if (!(error instanceof AssertionError)) throw error;
  const { message, actual, expected } = error;
  return { pass: false, message: () => message, actual, expected };
}
