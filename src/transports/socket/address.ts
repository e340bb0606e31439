import type { OptionKinds } from "../../contract/options.ts";
import { UsageError } from "../../errors.ts";

/** The address of a server: a unix socket (on Windows a named pipe), or a TCP port. */
export type SocketAddress = UnixAddress | TcpAddress;

export interface UnixAddress {
  readonly path: string;
}

export interface TcpAddress {
  readonly port: number;
  /** Default `127.0.0.1`. */
  readonly host?: string;
}

export const socketAddressKinds: OptionKinds<UnixAddress & TcpAddress> = {
  path: "string",
  port: "number",
  host: "string",
};

/** Throws UsageError for an address that names neither a path nor a port. */
export function assertAddress(what: string, address: Partial<UnixAddress & TcpAddress>): void {
  if (address.path === undefined && address.port === undefined)
    throw new UsageError(`${what} needs a path, of a unix socket, or a port: { path: "/run/notes.sock" }.`);
}

export function showAddress(address: SocketAddress): string {
  if ("path" in address) return address.path;
  const { host = "127.0.0.1", port } = address;
  return `${host.includes(":") ? `[${host}]` : host}:${port}`;
}
