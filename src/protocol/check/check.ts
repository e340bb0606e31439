import { isObject, type JsonObject } from "../../lib/json.ts";

/** The first problem of a value, as a path and a phrase (`.argument.name must be a string`); undefined for a valid value. */
export type Check = (value: unknown) => string | undefined;

export const checkString: Check = (value) => (typeof value === "string" ? undefined : " must be a string");
export const checkNumber: Check = (value) => (typeof value === "number" ? undefined : " must be a number");
export const checkBoolean: Check = (value) => (typeof value === "boolean" ? undefined : " must be a boolean");
export const checkObject: Check = (value) => (isObject(value) ? undefined : " must be an object");

/** Accepts absent values too, and null, which peers send for absent. */
/* @__NO_SIDE_EFFECTS__ */
export function optional(check: Check): Check {
  return (value) => (value === undefined || value === null ? undefined : check(value));
}

/* @__NO_SIDE_EFFECTS__ */
export function oneOf(...values: readonly unknown[]): Check {
  return (value) => (values.includes(value) ? undefined : ` must be one of ${values.join(", ")}`);
}

/* @__NO_SIDE_EFFECTS__ */
export function listOf(check: Check): Check {
  return (value) => {
    if (!Array.isArray(value)) return " must be a list";
    for (let at = 0; at < value.length; at++) {
      const problem = check(value[at]);
      if (problem !== undefined) return `[${at}]${problem}`;
    }
    return undefined;
  };
}

/* @__NO_SIDE_EFFECTS__ */
export function mapOf(check: Check): Check {
  return (value) => {
    if (!isObject(value)) return " must be an object";
    for (const key of Object.keys(value)) {
      const problem = check(value[key]);
      if (problem !== undefined) return `.${key}${problem}`;
    }
    return undefined;
  };
}

/** An object with these members. Other members are not checked. */
/* @__NO_SIDE_EFFECTS__ */
export function members(checks: { readonly [name: string]: Check }): Check {
  const entries = Object.entries(checks);
  return (value) => {
    if (!isObject(value)) return " must be an object";
    for (const [name, check] of entries) {
      const problem = check((value as JsonObject)[name]);
      if (problem !== undefined) return `.${name}${problem}`;
    }
    return undefined;
  };
}

/** An object whose member `tag` names the check that it must pass. */
/* @__NO_SIDE_EFFECTS__ */
export function taggedBy(tag: string, checks: { readonly [value: string]: Check }): Check {
  const checkTag = members({ [tag]: oneOf(...Object.keys(checks)) });
  return (value) => checkTag(value) ?? checks[String((value as JsonObject)[tag])]?.(value);
}

/** `.argument.name must be a string` as a sentence about `params`. */
export function toSentence(problem: string): string {
  return `${problem.replace(/^\./, "")}.`;
}
