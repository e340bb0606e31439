import type { Check } from "./check.ts";

/** One row of the method table. */
export interface Method {
  readonly name: string;
  readonly kind: "request" | "notification";
  readonly from: "client" | "server" | "either";
  /** The capability without which the method may not be used, and the side that must declare it. */
  readonly needs?: { readonly side: "client" | "server"; readonly capability: string };
  readonly params: Check;
}
