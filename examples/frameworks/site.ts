/** A web site that listens on this machine, with the MCP endpoint at /api/mcp beside its own pages. */
export interface Site {
  readonly origin: string;
  close(): Promise<void>;
}

/** The origin of a server that listens. */
export function toOrigin(address: unknown): string {
  const { port } = address as { port: number };
  return `http://127.0.0.1:${port}`;
}
