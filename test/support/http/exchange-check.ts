import { WireCheck } from "../wire-schema/wire-check.ts";
import type { ServerEvent } from "./event-reader.ts";

type Headers = Readonly<Record<string, unknown>>;

/** The check of each session, which has the revision and the open questions for all its requests and streams. */
const sessions = new Map<string, WireCheck>();

/** Checks what a server answers to an HTTP request that a test has written by hand; the request may be wrong. */
export class ExchangeCheck {
  readonly #check: WireCheck;

  constructor(url: string, headers: Headers, body: unknown) {
    this.#check = sessions.get(sessionOf(url, headers) ?? "") ?? new WireCheck("server");
    this.#check.tap(typeof body === "string" ? readJson(body) : body, "sent");
  }

  onHeaders(headers: Headers): void {
    this.#name(headers["mcp-session-id"]);
  }

  onBody(type: string | undefined, body: string): void {
    if (type === "application/json") this.#receive(body);
  }

  onEvent({ event, data }: ServerEvent): void {
    if (event === "endpoint") this.#name(sessionOf(new URL(data ?? "", "http://localhost").href, {}));
    else if (data) this.#receive(data);
  }

  #receive(text: string): void {
    const message = readJson(text);
    if (isRpc(message)) this.#check.tap(message, "received");
  }

  #name(session: unknown): void {
    if (typeof session === "string") sessions.set(session, this.#check);
  }
}

/** The session that a request names in its header, or in its address as that of HTTP+SSE does. */
function sessionOf(url: string, headers: Headers): string | undefined {
  const header = Object.entries(headers).find(([name]) => name.toLowerCase() === "mcp-session-id");
  return typeof header?.[1] === "string"
    ? header[1]
    : (new URL(url).searchParams.get("sessionId") ?? undefined);
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Other documents, as those of authorization, have no schema here. */
function isRpc(message: unknown): boolean {
  const [first] = Array.isArray(message) ? message : [message];
  return typeof first === "object" && first !== null && "jsonrpc" in first;
}
