import { createEncoder } from "../encode/encoder.ts";
import { type OmittedMembers, omitAlso, type WireRules } from "../encode/wire-rules.ts";
import type { Method } from "../method.ts";
import { methods as everyMethod } from "../method-table.ts";
import type { Revision } from "../revision.ts";

type Answers = Omit<Revision, "version" | "methods" | "rules" | "encode">;

export interface RevisionDifferences extends Partial<Answers> {
  readonly version: string;
  /** Methods that this revision has and its successor does not. */
  readonly adds?: readonly string[];
  /** Methods of its successor that it lacks. */
  readonly lacks?: readonly string[];
  /** Methods that need no capability here. */
  readonly ungated?: readonly string[];
  readonly omits?: Partial<OmittedMembers>;
  readonly wire?: Partial<Omit<WireRules, "omit">>;
}

/** The revision before `base`: the same as `base` except for the differences. */
export function derive(base: Revision, differences: RevisionDifferences): Revision {
  const { version, adds = [], lacks = [], ungated = [], omits = {}, wire = {}, ...answers } = differences;
  const rules: WireRules = { ...base.rules, ...wire, omit: omitAlso(base.rules.omit, omits) };
  const names = [...base.methods.keys(), ...adds].filter((name) => !lacks.includes(name));
  const methods = pickMethods(names, ungated);
  return { ...base, ...answers, version, methods, rules, encode: createEncoder(rules) };
}

export function pickMethods(
  names: readonly string[],
  ungated: readonly string[] = [],
): ReadonlyMap<string, Method> {
  const picked = [...everyMethod.values()].filter(({ name }) => names.includes(name));
  return new Map(picked.map((row) => [row.name, ungated.includes(row.name) ? withoutNeeds(row) : row]));
}

function withoutNeeds({ needs: _, ...open }: Method): Method {
  return open;
}
