import { fileURLToPath } from "node:url";

type FixtureName =
  | "allspeak-server"
  | "official-v1-server"
  | "official-v2-server"
  | "official-v1-tasks-server"
  | "official-v1-http-server"
  | "official-v2-http-server";

/** The command that starts a fixture server. */
export function fixture(name: FixtureName, ...args: readonly string[]) {
  const path = fileURLToPath(new URL(`fixtures/${name}.mjs`, import.meta.url));
  return { command: process.execPath, args: [path, ...args] };
}
