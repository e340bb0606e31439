import { isCanonicalLoopbackHost } from "../../lib/loopback.ts";
import { type HolderSource, toHolder } from "./holder.ts";

/** The key of the holder whose share something takes; undefined for one of several that can't be distinguished. */
export function toShareKey(source: HolderSource): string | undefined {
  const { principal, address } = source;
  if (principal === undefined && (address === undefined || isCanonicalLoopbackHost(address)))
    return undefined;
  return toHolder(source);
}
