import type { ServerDescription } from "allspeak/client";
import type { Terminal } from "../terminal/terminal.ts";
import { escapeLine } from "./escape.ts";

/** One line about a server: its name, its version, and the revision that was agreed. */
export function showServer({ info, revision }: ServerDescription, { paint }: Terminal): string {
  const name = escapeLine(info?.title ?? info?.name ?? "a server without a name");
  const version = info?.version ? ` ${escapeLine(info.version)}` : "";
  return `${paint.bold(name)}${version} ${paint.dim(`(${revision})`)}`;
}
