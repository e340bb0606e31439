import { fileURLToPath } from "node:url";

export interface Contender {
  readonly name: string;
  /** A file in `servers`. */
  readonly server: string;
  readonly speaks: readonly string[];
}

/** The first is what the others are measured by. */
export const contenders: readonly Contender[] = [
  { name: "bare", server: "bare", speaks: ["2025-11-25", "2026-07-28"] },
  { name: "bare, joined writes", server: "bare-joined", speaks: ["2025-11-25", "2026-07-28"] },
  { name: "allspeak", server: "allspeak", speaks: ["2025-11-25", "2026-07-28"] },
  { name: "official SDK 1", server: "sdk-v1", speaks: ["2025-11-25"] },
  { name: "official SDK 2", server: "sdk-v2", speaks: ["2025-11-25", "2026-07-28"] },
  { name: "tmcp", server: "tmcp", speaks: ["2025-11-25", "2026-07-28"] },
];

export function serverPath(server: string): string {
  return fileURLToPath(new URL(`./servers/${server}.js`, import.meta.url));
}
