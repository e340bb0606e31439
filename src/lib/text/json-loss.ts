import { describeValue } from "./describe-value.ts";

/** Explains what a value is and what to pass or return instead, if JSON drops or empties it silently. */
export function explainJsonLoss(value: unknown, verb: "pass" | "return"): string | undefined {
  if (typeof value !== "object" && typeof value !== "function") return undefined;
  const advice = adviceFor(value, verb);
  return advice && `${describeValue(value)}; ${advice}`;
}

function adviceFor(value: unknown, verb: string): string | undefined {
  if (typeof value === "function") return `${verb} a value`;
  if (value instanceof Promise) return "await it first";
  if (value instanceof Map) return `${verb} Object.fromEntries(…) of it`;
  if (value instanceof Set) return `${verb} an array of it`;
  if (value instanceof ArrayBuffer) return `${verb} a string of it, such as base64`;
  return undefined;
}
