/** One thing wrong with a value, worded so that a model can correct it. */
export interface Issue {
  /** The place, such as `address.city` or `items[2]`; empty for the value itself. */
  readonly path: string;
  readonly message: string;
}

export type ValidationResult<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly issues: readonly Issue[] };

export const maxIssues = 20;

const plainKey = /^[\w$-]{1,64}$/;

/** Keys come from the peer, so their share of a message is bounded. */
export function toPath(keys: readonly PropertyKey[]): string {
  let path = "";
  for (const key of keys) {
    if (typeof key === "number") path += `[${key}]`;
    else if (plainKey.test(String(key))) path += path ? `.${String(key)}` : String(key);
    else path += `[${JSON.stringify(String(key).slice(0, 64))}]`;
  }
  return path;
}

/** The issues as text, one line each. */
export function describeIssues(issues: readonly Issue[]): string {
  return issues.map(({ path, message }) => `- ${path === "" ? message : `${path}: ${message}`}`).join("\n");
}
