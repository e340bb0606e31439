import { memoryState, type State } from "allspeak/http";

/** The state that a URL names. Each backend is loaded when it is needed: not all can be loaded everywhere. */
export async function openState(url: string): Promise<State> {
  const { protocol } = new URL(url);
  switch (protocol) {
    case "memory:":
      return memoryState();
    case "sqlite:":
      return (await import("allspeak/state/sqlite")).sqlite(new URL(url).pathname);
    case "redis:":
      return (await import("allspeak/state/redis")).redis(url);
    case "postgres:":
      return (await import("allspeak/state/postgres")).postgres(url);
    case "nats:":
      return (await import("allspeak/state/nats")).nats(url);
    default:
      throw new Error(`There is no state for ${protocol}`);
  }
}
