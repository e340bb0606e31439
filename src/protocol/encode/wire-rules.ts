/** Members that a revision does not have, by the type that has them. */
export interface OmittedMembers {
  readonly implementation: readonly string[];
  readonly tool: readonly string[];
  readonly resource: readonly string[];
  readonly prompt: readonly string[];
  readonly promptArgument: readonly string[];
  readonly annotations: readonly string[];
  readonly content: readonly string[];
  readonly result: readonly string[];
  readonly progress: readonly string[];
  readonly capabilities: readonly string[];
  readonly sampling: readonly string[];
  readonly elicitation: readonly string[];
  readonly completion: readonly string[];
}

/** The differences between one revision on the wire and the neutral model. */
export interface WireRules {
  readonly omit: OmittedMembers;
  readonly contentKinds: ReadonlySet<string>;
  readonly structured: "any" | "object" | "none";
  readonly samplingContent: "list" | "single";
  /** `all`: fields of a form may have titled choices, and defaults of every type. */
  readonly formFields: "all" | "plain";
  /** Results name their `resultType` and the server. basic#resulttype (2026-07-28) */
  readonly describesResults: boolean;
  /** The form of tasks: that of the extension, requests that ask to become one, or none. */
  readonly tasks: "extension" | "augmented" | "none";
}

export const omitNothing: OmittedMembers = {
  implementation: [],
  tool: [],
  resource: [],
  prompt: [],
  promptArgument: [],
  annotations: [],
  content: [],
  result: [],
  progress: [],
  capabilities: [],
  sampling: [],
  elicitation: [],
  completion: [],
};

/** An older revision leaves out what its successor does, and more. */
export function omitAlso(base: OmittedMembers, more: Partial<OmittedMembers>): OmittedMembers {
  const names = Object.keys(base) as (keyof OmittedMembers)[];
  return Object.fromEntries(
    names.map((name) => [name, [...base[name], ...(more[name] ?? [])]]),
  ) as unknown as OmittedMembers;
}

/** `value` without these members; the same object when it has none of them. */
export function without<T extends object>(value: T, names: readonly string[]): T {
  if (!names.some((name) => Object.hasOwn(value, name))) return value;
  const copy = { ...value } as Record<string, unknown>;
  for (const name of names) delete copy[name];
  return copy as T;
}
