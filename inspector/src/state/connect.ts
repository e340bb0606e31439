import type {
  ConnectChoice,
  ConnectionView,
  TargetChoice,
} from "../../../src/inspector/messages/connection.ts";
import { request } from "./link.ts";
import { go, route } from "./route.ts";
import { about, connections, putConnection } from "./session.ts";

/** Connects, and shows how the connection opens, unless the person looks elsewhere meanwhile. */
export function connectTo(target: TargetChoice, options: ConnectChoice = {}): Promise<void> {
  return show(target, () => request("connect", { target, options }));
}

/** Connects once more to the server of a connection that is over. */
export function connectAgain({ id, target }: ConnectionView): Promise<void> {
  return show(target, () => request("connect-again", { connection: id }));
}

async function show(
  target: TargetChoice,
  open: () => Promise<{ readonly connection: ConnectionView }>,
): Promise<void> {
  const known = new Set(connections.value.map(({ id }) => id));
  const wish = JSON.stringify(target);
  const isWished = ({ id, purpose, target: its }: ConnectionView) =>
    !known.has(id) && purpose === undefined && JSON.stringify(its) === wish;
  let isShown = false;
  const stop = connections.subscribe((all) => {
    const fresh = isShown ? undefined : all.find(isWished);
    if (!fresh) return;
    isShown = true;
    go(["server", fresh.id, "about"]);
  });
  try {
    const { connection } = await open();
    putConnection(connection);
    const [kind, id, view] = route.value.path;
    if (kind === "server" && id === connection.id && view === "about") go(["server", id, "tools"]);
  } finally {
    stop();
  }
}

/** Connects to the server that the inspector was started for, unless something is connected already. */
export async function connectToFirst(): Promise<void> {
  const first = about.value.offered.find(({ isFirst }) => isFirst);
  if (first && connections.value.length === 0) await connectTo({ kind: "offered", name: first.name });
}
