import { fileURLToPath } from "node:url";

export type FixtureName = "allspeak-server" | "official-v1-server" | "official-v2-server";

/** The command that starts a fixture server. */
export function fixture(name: FixtureName, ...args: readonly string[]) {
  const path = fileURLToPath(new URL(`fixtures/${name}.mjs`, import.meta.url));
  return { command: process.execPath, args: [path, ...args] };
}
