import type { OptionTable, OptionValues } from "../verb.ts";

/** Options of the verbs that serve. */
export const serveOptions = {
  stdio: { type: "boolean", description: "Serve on standard input and output (the default)" },
  http: {
    type: "string",
    value: "[HOST]:PORT",
    description: "Serve over HTTP; without a host on this machine only",
  },
  path: { type: "string", value: "PATH", description: "The path of the endpoint. Default: /mcp" },
  "public-url": {
    type: "string",
    value: "URL",
    description: "The URL by which clients reach it, behind a proxy",
  },
  "allow-host": {
    type: "string",
    value: "NAME",
    multiple: true,
    description: "A host name that requests may be for",
  },
  "allow-origin": {
    type: "string",
    value: "ORIGIN",
    multiple: true,
    description: "A web page's origin that may call",
  },
  json: { type: "boolean", description: "Write the address as JSON" },
} as const satisfies OptionTable;

export type ServeOptions = OptionValues<typeof serveOptions>;

/** For verbs that serve other servers again. */
export const isolationOption = {
  type: "string",
  value: "KIND",
  choices: ["per-session", "per-principal", "shared"],
  description: "The callers that share a connection to a server. Default: per-session",
} as const;
