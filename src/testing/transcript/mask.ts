import { isObject } from "../../lib/json.ts";
import { mask as masked, maskHeader, maskText } from "../../lib/text/mask-secrets.ts";

export interface MaskOptions {
  /** Names of further members and headers that hold secrets. */
  readonly mask?: readonly string[] | undefined;
  /** Names that sound like secrets and hold none. */
  readonly keep?: readonly string[] | undefined;
}

/** A copy of a JSON value in which secrets are masked, by the names of members and by their form. */
export function maskSecrets<T>(value: T, { mask = [], keep = [] }: MaskOptions): T {
  const secret = toNames(mask);
  const kept = toNames(keep);
  const copy = (current: unknown, name: string): unknown => {
    if (typeof current === "string") return maskString(current, name.toLowerCase());
    if (Array.isArray(current)) return current.map((item) => copy(item, name));
    if (!isObject(current)) return current;
    return Object.fromEntries(Object.entries(current).map(([key, member]) => [key, copy(member, key)]));
  };
  const maskString = (text: string, name: string): string => {
    if (secret.has(name)) return masked;
    return kept.has(name) ? maskText(text) : maskHeader(name, text);
  };
  return copy(value, "") as T;
}

function toNames(names: readonly string[]): ReadonlySet<string> {
  return new Set(names.map((name) => name.toLowerCase()));
}
