import type { EventReader } from "./event-reader.ts";
import { type Answer, exchange, type Sent } from "./exchange.ts";

export interface OpenOptions {
  readonly capabilities?: object;
  readonly headers?: Sent["headers"];
}

export interface SayOptions {
  readonly headers?: Sent["headers"];
  readonly signal?: AbortSignal;
}

const posting = {
  "content-type": "application/json",
  accept: "application/json, text/event-stream",
};

export function toInitialize(revision: string, capabilities: object = {}) {
  return {
    jsonrpc: "2.0",
    id: 0,
    method: "initialize",
    params: { protocolVersion: revision, capabilities, clientInfo: { name: "raw", version: "1" } },
  };
}

/** A session of the streamable revisions, spoken by hand. */
export class RawSession {
  readonly url: string;
  readonly id: string;
  readonly revision: string;
  /** Sent with every request. */
  readonly headers: NonNullable<Sent["headers"]>;
  #nextId = 1;

  constructor(url: string, id: string, revision: string, headers: Sent["headers"] = {}) {
    this.url = url;
    this.id = id;
    this.revision = revision;
    this.headers = { "mcp-session-id": id, "mcp-protocol-version": revision, ...headers };
  }

  /** Posts any body. */
  post(body: object, options: SayOptions = {}): Promise<Answer> {
    const headers = { ...posting, ...this.headers, ...options.headers };
    return exchange(this.url, { body, headers, ...(options.signal && { signal: options.signal }) });
  }

  ask(method: string, params: object = {}, options: SayOptions & { id?: string | number } = {}) {
    return this.post({ jsonrpc: "2.0", id: options.id ?? this.#nextId++, method, params }, options);
  }

  /** Calls a tool; progress is wanted. */
  call(name: string, args: object = {}, options: SayOptions & { id?: string | number } = {}) {
    const id = options.id ?? this.#nextId++;
    const params = { name, arguments: args, _meta: { progressToken: id } };
    return this.ask("tools/call", params, { ...options, id });
  }

  notify(method: string, params: object = {}): Promise<Answer> {
    return this.post({ jsonrpc: "2.0", method, params });
  }

  answer(id: unknown, result: object): Promise<Answer> {
    return this.post({ jsonrpc: "2.0", id, result });
  }

  get(lastEventId?: string): Promise<Answer> {
    const headers = { accept: "text/event-stream", ...this.headers, "last-event-id": lastEventId };
    return exchange(this.url, { headers });
  }

  /** The stream beside the requests, or the rest of one that broke. */
  async listen(lastEventId?: string): Promise<EventReader> {
    const answer = await this.get(lastEventId);
    if (answer.status !== 200) throw new Error(`GET was answered ${answer.status}: ${await answer.text()}`);
    return answer.events();
  }

  delete(): Promise<Answer> {
    return exchange(this.url, { method: "DELETE", headers: this.headers });
  }
}

/** Opens a session and says that it is ready. */
export async function openSession(
  url: string,
  revision: string,
  options: OpenOptions = {},
): Promise<RawSession> {
  const headers = { ...posting, ...options.headers };
  const answer = await exchange(url, { body: toInitialize(revision, options.capabilities), headers });
  const { result } = await answer.result();
  const id = answer.headers["mcp-session-id"];
  if (result?.protocolVersion !== revision || typeof id !== "string") {
    throw new Error(`No session of ${revision}: ${answer.status}`);
  }
  const session = new RawSession(url, id, revision, options.headers);
  await (await session.notify("notifications/initialized")).text();
  return session;
}
