import type { Target } from "allspeak/client";

/** A target that `connect` takes, and what kind it is. */
export interface ResolvedTarget {
  readonly kind: "url" | "command" | "module" | "demo";
  readonly target: Target;
  /** The file of a module. */
  readonly file?: string;
  /** Headers of its own, over HTTP. */
  readonly headers?: Readonly<Record<string, string>>;
}
