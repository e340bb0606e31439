import { isObject } from "../../lib/json.ts";
import type { Failure } from "../messages/reply.ts";

export type InspectorCode =
  | "session-unknown"
  | "invalid-request"
  | "not-found"
  | "declined"
  | "too-much"
  | "cancelled"
  | "internal";

/** A request of the page that can't be carried out, with what to do. */
export class InspectorError extends Error {
  readonly code: InspectorCode;
  readonly hint: string | undefined;

  constructor(code: InspectorCode, message: string, options: ErrorOptions & { readonly hint?: string } = {}) {
    super(message, options);
    this.code = code;
    this.hint = options.hint;
  }
}

/** The next step of a person whose login failed, by its reason. */
const adviceOn: ReadonlyMap<unknown, string> = new Map([
  [
    "registration",
    'Register a client at the authorization server yourself, with http://127.0.0.1/callback as its redirect address. Then connect again with its id: it goes into "OAuth client id", below "Revision, transport, capabilities, login".',
  ],
]);

/** An error as the page shows it. Errors of the library are known by their `code`: a module may have another copy. */
export function toFailure(error: unknown): Failure {
  if (!(error instanceof Error)) return { code: "internal", message: String(error) };
  const { message } = error;
  const { code, reason, hint, wireCode, data } = error as Error & {
    readonly [member in "code" | "reason" | "hint" | "wireCode" | "data"]?: unknown;
  };
  const advice = typeof hint === "string" ? hint : code === "authorization" && adviceOn.get(reason);
  return {
    code: typeof code === "string" ? code : error.name === "AbortError" ? "cancelled" : "internal",
    message: withCause(message, error.cause),
    ...(advice && { hint: advice }),
    ...(typeof wireCode === "number" && {
      rpc: { code: wireCode, message, ...(data !== undefined && { data }) },
    }),
  };
}

/** The message with that of its cause, where it does not contain that itself: "fetch failed" explains nothing. */
function withCause(message: string, cause: unknown): string {
  if (!isObject(cause) || typeof cause.message !== "string" || cause.message === "") return message;
  return message.includes(cause.message) ? message : `${message} (${cause.message})`;
}
