import { fileURLToPath } from "node:url";

export interface Contender {
  readonly name: string;
  /** A file in `servers`. */
  readonly server: string;
  readonly speaks: readonly string[];
}

/** The first is what the others are measured by. */
export const contenders: readonly Contender[] = [
  { name: "bare", server: "stdio/bare", speaks: ["2025-11-25", "2026-07-28"] },
  { name: "bare, joined writes", server: "stdio/bare-joined", speaks: ["2025-11-25", "2026-07-28"] },
  { name: "allspeak", server: "stdio/allspeak", speaks: ["2025-11-25", "2026-07-28"] },
  { name: "official SDK 1", server: "stdio/sdk-v1", speaks: ["2025-11-25"] },
  { name: "official SDK 2", server: "stdio/sdk-v2", speaks: ["2025-11-25", "2026-07-28"] },
  { name: "tmcp", server: "stdio/tmcp", speaks: ["2025-11-25", "2026-07-28"] },
];

export interface HttpContender extends Contender {
  /** The newest that it speaks, where that is not the one that is asked for. */
  readonly sessionRevision?: string;
}

/** The same over HTTP, and some that know no stdio. */
export const http: readonly HttpContender[] = [
  { name: "bare", server: "http/bare", speaks: ["2025-11-25", "2026-07-28"] },
  { name: "allspeak", server: "http/allspeak", speaks: ["2025-11-25", "2026-07-28"] },
  { name: "official SDK 1", server: "http/sdk-v1", speaks: ["2025-11-25"] },
  { name: "official SDK 2", server: "http/sdk-v2", speaks: ["2025-11-25", "2026-07-28"] },
  { name: "tmcp", server: "fetch/tmcp", speaks: ["2025-11-25", "2026-07-28"] },
  {
    name: "mcp-lite, 2025-06-18",
    server: "fetch/mcp-lite",
    speaks: ["2025-11-25"],
    sessionRevision: "2025-06-18",
  },
  { name: "fastmcp", server: "http/fastmcp", speaks: ["2025-11-25"] },
];

const newest = ["2026-07-28"];

/** Ways to serve over HTTP that cost more. */
export const httpVariants: readonly HttpContender[] = [
  { name: "bare", server: "http/bare", speaks: newest },
  { name: "allspeak", server: "http/allspeak", speaks: newest },
  { name: "allspeak, async handler", server: "http/allspeak-async", speaks: newest },
  { name: "allspeak, bearer token", server: "http/allspeak-bearer", speaks: newest },
];

/** Handlers for web platforms, each behind the same adapter. */
export const fetchHandlers: readonly HttpContender[] = [
  { name: "Hono, a bare route", server: "fetch/hono", speaks: newest },
  { name: "allspeak", server: "fetch/allspeak", speaks: newest },
];

export function serverPath(server: string): string {
  return fileURLToPath(new URL(`./${server}.js`, import.meta.url));
}
