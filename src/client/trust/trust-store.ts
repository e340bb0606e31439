/**
 * What the host has agreed to, kept between connections; a `Map` is one.
 *
 * Values are JSON. A store that can't be read must reject: taken for empty, everything
 * would be seen for the first time, and so be trusted.
 */
export interface TrustStore {
  get(key: string): unknown;
  set(key: string, value: TrustValue): unknown;
}

export type TrustValue = { readonly [member: string]: unknown };

const kept = new Map<string, TrustValue>();

/** For as long as the process lives, shared by all connections that are given no other. */
export const processTrustStore: TrustStore = kept;

/** One text for each list of names, whatever is in them. */
export function trustKey(...parts: readonly string[]): string {
  return JSON.stringify(parts);
}
