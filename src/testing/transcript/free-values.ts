import { isObject, type JsonObject } from "../../lib/json.ts";
import { MetaKey } from "../../protocol/meta.ts";
import type { Side, WireMessage } from "./transcript.ts";

/**
 * The values that one side chooses as it likes, and the other only repeats: ids, tokens, cursors, sealed state. Two
 * conversations are the same if these differ, and so do the times of tasks.
 */
type Place = "id" | "peer-id" | "client-id" | "token" | "peer-token" | "opaque" | "time";

/** The places of free values by the name of the member. */
const places: { readonly [name: string]: Place } = {
  requestId: "id",
  [MetaKey.subscriptionId]: "client-id",
  progressToken: "token",
  requestState: "opaque",
  taskId: "opaque",
  taskIds: "opaque",
  elicitationId: "opaque",
  cursor: "opaque",
  nextCursor: "opaque",
  createdAt: "time",
  lastUpdatedAt: "time",
};

/** Members that hold data of the author, where a name means what the author likes. */
const data = new Set([
  "arguments",
  "structuredContent",
  "content",
  "contents",
  "requestedSchema",
  "messages",
]);

type Visit = (place: string, value: string | number, path: string) => unknown;

/** A copy of a message in which each free value is replaced. `place` distinguishes values of different kinds and sides. */
function mapFree(message: WireMessage, from: Side, visit: Visit): WireMessage {
  const other = from === "client" ? "server" : "client";
  const toKey: Readonly<Record<Place, string>> = {
    id: `${from} id`,
    "peer-id": `${other} id`,
    "client-id": "client id",
    token: `${from} token`,
    "peer-token": `${other} token`,
    opaque: "opaque",
    time: "time",
  };
  const copy = (value: unknown, path: string, placeOf: (name: string) => Place | undefined): unknown => {
    if (Array.isArray(value)) return value.map((item, index) => copy(item, `${path}/${index}`, placeOf));
    if (!isObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => {
        const at = `${path}/${name}`;
        const place = placeOf(name);
        if (place !== undefined && isScalar(member)) return [name, visit(toKey[place], member, at)];
        if (place !== undefined && Array.isArray(member) && member.every(isScalar))
          return [name, member.map((item, index) => visit(toKey[place], item, `${at}/${index}`))];
        return [name, data.has(name) ? member : copy(member, at, placeOf)];
      }),
    );
  };
  if (Array.isArray(message)) return message.map((one) => (isObject(one) ? mapFree(one, from, visit) : one));
  const whole = message as JsonObject;
  const { id, ...others } = whole;
  // A request carries its own token; a notification of progress repeats the other side's.
  const isCall = whole.method !== undefined && id !== undefined;
  const placeOf = (name: string) =>
    name === "progressToken" && !isCall
      ? "peer-token"
      : Object.hasOwn(places, name)
        ? places[name]
        : undefined;
  const mapped = copy(others, "", placeOf) as JsonObject;
  if (!isScalar(id)) return id === undefined ? mapped : { id, ...mapped };
  return { id: visit(toKey[whole.method === undefined ? "peer-id" : "id"], id, "/id"), ...mapped };
}

/** A message with a word in the place of each free value, to be compared. */
export function withoutFree(message: WireMessage, from: Side): WireMessage {
  return mapFree(message, from, (place) => `(${place})`);
}

/** The values of a live conversation that stand for those of a recorded one. */
export class FreeValues {
  readonly #live = new Map<string, string | number>();

  /** Learns from two messages that are the same but for their free values. */
  learn(recorded: WireMessage, live: WireMessage, from: Side): void {
    const found = new Map<string, string | number>();
    mapFree(live, from, (_place, value, path) => found.set(path, value));
    mapFree(recorded, from, (place, value, path) => {
      const counterpart = found.get(path);
      if (counterpart !== undefined) this.#live.set(`${place} ${JSON.stringify(value)}`, counterpart);
    });
  }

  /** A recorded message with the values of the live conversation. */
  translate(recorded: WireMessage, from: Side): WireMessage {
    return mapFree(
      recorded,
      from,
      (place, value) => this.#live.get(`${place} ${JSON.stringify(value)}`) ?? value,
    );
  }
}

function isScalar(value: unknown): value is string | number {
  return typeof value === "string" || typeof value === "number";
}
