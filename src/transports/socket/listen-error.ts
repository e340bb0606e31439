import { UsageError } from "../../errors.ts";
import { errorCode } from "../../lib/errno.ts";

const reasons: { readonly [code: string]: string } = {
  EADDRINUSE: "another program listens there; close it, or choose another port",
  EACCES: "this user may not; choose a port above 1023",
  EADDRNOTAVAIL: "this machine does not have that address; use 127.0.0.1, or 0.0.0.0 for all",
  ERR_SOCKET_BAD_PORT: "a port is a whole number from 0 to 65535",
  ENOTFOUND: "the host is unknown; use 127.0.0.1, or 0.0.0.0 for all",
};

/** The UsageError for an address that can't be listened on. */
export function toListenError(cause: unknown, address: string): Error {
  if (cause instanceof UsageError) return cause;
  const reason = reasons[errorCode(cause) ?? ""] ?? (cause instanceof Error ? cause.message : String(cause));
  return new UsageError(`Can't listen on ${address}: ${reason}.`, { cause });
}
