import { maskJson } from "../../lib/text/mask-secrets.ts";
import { isSecretValue } from "../../lib/text/secret-name.ts";

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
  return maskJson(value, (name, member) => {
    const lower = name.toLowerCase();
    return secret.has(lower) || (!kept.has(lower) && isSecretValue(name, member));
  }) as T;
}

function toNames(names: readonly string[]): ReadonlySet<string> {
  return new Set(names.map((name) => name.toLowerCase()));
}
