import { sha256Hex } from "../../lib/encoding/sha256.ts";

/** The longest name that all model providers take. */
const maxName = 64;
const maxPrefix = 30;
const separator = "__";
/** The number of hexadecimal digits of a hash that ends a name. */
const hashDigits = 8;

/**
 * The names under which models see tools: `server__tool`, of letters, digits, `_` and `-`, at most 64 long.
 *
 * A name follows from the names of the server and the tool alone, so it stays the same whatever else is there and
 * whenever servers start. A name that can't be kept as it is ends with a hash of what it was. A prefix has no `__` and
 * does not end with `_`, so that no tool of one server can take the name of another server's tool.
 */
export async function toToolPrefix(server: string): Promise<string> {
  const isKept =
    /^[A-Za-z](?:_?[A-Za-z0-9-])*$/.test(server) && server.length <= maxPrefix && !endsWithHash(server);
  if (isKept) return server;
  const plain = server
    .replace(/[^A-Za-z0-9-]+/g, "_")
    .replace(/^[^A-Za-z]+/, "")
    .replace(/_+$/, "");
  return withHash(plain || "server", server, maxPrefix);
}

/** The name of a tool, for the prefix of its server. */
export async function toToolName(prefix: string, tool: string): Promise<string> {
  const room = maxName - prefix.length - separator.length;
  const isKept = /^[A-Za-z0-9_-]+$/.test(tool) && tool.length <= room && !endsWithHash(tool);
  const name = isKept ? tool : await withHash(tool.replace(/[^A-Za-z0-9_-]+/g, "_"), tool, room);
  return prefix + separator + name;
}

/** The prefix of a name, which stands for its server; undefined for a name that is not one of ours. */
export function prefixOf(name: string): string | undefined {
  const at = name.indexOf(separator);
  return at > 0 ? name.slice(0, at) : undefined;
}

/** Names that look as if they had a hash get one, so that none can be chosen to equal another's. */
function endsWithHash(name: string): boolean {
  return /_[0-9a-f]{8}$/.test(name);
}

async function withHash(plain: string, original: string, room: number): Promise<string> {
  const hash = (await sha256Hex(original)).slice(0, hashDigits);
  return `${plain.slice(0, room - hashDigits - 1).replace(/_+$/, "")}_${hash}`;
}
