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

export function showAddress(address: SocketAddress): string {
  if ("path" in address) return address.path;
  const { host = "127.0.0.1", port } = address;
  return `${host.includes(":") ? `[${host}]` : host}:${port}`;
}
