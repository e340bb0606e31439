import type { Server } from "allspeak";
import { createFetchHandler, type HttpOptions } from "allspeak/http";
import { toNewest } from "./http/stateless-request.ts";

/** What a call of the newest revision came to: an error, a result, or questions. */
export interface Outcome {
  readonly error?: { readonly code: number; readonly message: string };
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came.
  readonly result?: any;
}

export interface Round {
  readonly inputResponses?: Readonly<Record<string, unknown>>;
  readonly requestState?: unknown;
}

export interface SendOptions {
  readonly as?: string;
  readonly http?: HttpOptions;
}

export const allAsks = { elicitation: { form: {} }, sampling: {}, roots: {} };

/** Sends one request to a node that serves nothing else, through its HTTP entry, and takes the node down again. */
export async function sendTo(
  server: Server<unknown>,
  method: string,
  params: object,
  options: SendOptions = {},
): Promise<Outcome> {
  const handle = createFetchHandler(server, options.http);
  try {
    return readOutcome(await handle(toRequest(method, params, options.as)));
  } finally {
    await handle.close(0);
  }
}

/** A request of the newest revision, from somebody who can be asked anything. */
export function toRequest(method: string, params: object, as = ""): Request {
  const { body, headers } = toNewest(method, params, { capabilities: allAsks });
  return new Request("http://localhost/mcp", {
    method: "POST",
    body: JSON.stringify(body),
    headers: { ...(headers as unknown as Record<string, string>), authorization: as },
  });
}

async function readOutcome(response: Response): Promise<Outcome> {
  const text = await response.text();
  if (response.headers.get("content-type") !== "text/event-stream") return JSON.parse(text);
  const last = text.split("\n").findLast((line) => line.startsWith("data: {"));
  return JSON.parse((last ?? "").slice("data: ".length));
}
