/** What a client says in one revision, as text. */
export interface Wire {
  readonly revision: string;
  /** Requests are numbered from 1, which is the opening. */
  readonly opening: string;
  /** What the client says once the opening is answered. */
  readonly confirmation: string | undefined;
  call(id: number): string;
}

const clientInfo = { name: "bench", version: "1.0.0" };
export const echoed = "The quick brown fox jumps over the lazy dog";
const echo = { name: "echo", arguments: { text: echoed } };

const meta = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": clientInfo,
  "io.modelcontextprotocol/clientCapabilities": {},
};

export const wires: readonly Wire[] = [
  toSessionWire("2025-11-25"),
  {
    revision: "2026-07-28",
    opening: request(1, "server/discover", { _meta: meta }),
    confirmation: undefined,
    call: numbered("tools/call", { ...echo, _meta: meta }),
  },
];

/** What a client says in a revision that opens by a handshake. */
export function toSessionWire(revision: string): Wire {
  return {
    revision,
    opening: request(1, "initialize", { protocolVersion: revision, capabilities: {}, clientInfo }),
    confirmation: JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" }),
    call: numbered("tools/call", echo),
  };
}

function request(id: number, method: string, params: object): string {
  return JSON.stringify({ jsonrpc: "2.0", id, method, params });
}

/** All but the id is written once, so that the driver is never what is measured. */
function numbered(method: string, params: object): (id: number) => string {
  const rest = JSON.stringify({ method, params }).slice(1);
  return (id) => `{"jsonrpc":"2.0","id":${id},${rest}`;
}
