import type { ConnectChoice, TargetChoice } from "../../../src/inspector/messages/connection.ts";
import { request } from "./link.ts";
import { go } from "./route.ts";
import { about, connections, putConnection } from "./session.ts";

/** Connects, and shows how the connection opens while it does. */
export async function connectTo(target: TargetChoice, options: ConnectChoice = {}): Promise<void> {
  const known = new Set(connections.value.map(({ id }) => id));
  const stop = connections.subscribe((all) => {
    const fresh = all.find(({ id }) => !known.has(id));
    if (!fresh) return;
    known.add(fresh.id);
    go(["server", fresh.id, "about"]);
  });
  try {
    const { connection } = await request("connect", { target, options });
    putConnection(connection);
    go(["server", connection.id, "tools"]);
  } finally {
    stop();
  }
}

/** Connects to the server that the inspector was started for, unless something is connected already. */
export async function connectToFirst(): Promise<void> {
  const first = about.value.offered.find(({ isFirst }) => isFirst);
  if (first && connections.value.length === 0) await connectTo({ kind: "offered", name: first.name });
}
