import { isObject, type JsonObject } from "../../lib/json.ts";
import type { Side, TranscriptEntry, WireMessage } from "./transcript.ts";

/** The key by which a live message is matched with a recorded one: its kind, and what it is about. */
export function toMatchKey(message: WireMessage): string {
  if (!isObject(message)) return "batch";
  const { id, method, params } = message;
  if (method === undefined) return `answer ${JSON.stringify(id)}`;
  if (id !== undefined) return `request ${String(method)}`;
  const token = isObject(params) ? params.progressToken : undefined;
  return `notification ${String(method)} ${JSON.stringify(token)}`;
}

/** Names the messages of a conversation in words: an answer by its request. */
export class MessageNames {
  readonly #requests = new Map<string, string>();

  /** The name of an entry in line `line` of its file. Takes the entries in their order. */
  of({ message, from }: TranscriptEntry, line?: number): string {
    const where = line === undefined ? "" : ` (line ${line})`;
    if (message === undefined) return `a text of the ${from}${where}`;
    return `${this.#describe(message, from)}${where}`;
  }

  #describe(message: WireMessage, from: Side): string {
    if (!isObject(message)) return `a batch of the ${from}`;
    const { id, method } = message;
    const other = from === "client" ? "server" : "client";
    if (method === undefined) {
      const request = this.#requests.get(`${other} ${JSON.stringify(id)}`);
      return `answer to ${request ?? `the request ${JSON.stringify(id)} of the ${other}`}`;
    }
    const name = `${String(method)}${showItem(message)}`;
    if (id !== undefined) this.#requests.set(`${from} ${JSON.stringify(id)}`, name);
    return name;
  }
}

/** The tool, prompt or resource that a request is about. */
export function showItem({ params }: JsonObject): string {
  if (!isObject(params)) return "";
  const target = params.name ?? params.uri;
  return typeof target === "string" ? ` ${JSON.stringify(target)}` : "";
}
