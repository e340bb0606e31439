import { isObject } from "../lib/json.ts";
import { classify, type InvalidMessage, invalidMessage, isRequestId, type ParsedMessage } from "./message.ts";
import { scanEnvelope } from "./scan-envelope.ts";
import { WireCode } from "./wire-error.ts";

/** The most levels of a message. */
export const maxDepth = 128;
/** The largest message a pipe takes by default. */
export const defaultMaxMessageBytes: number = 64 * 1024 * 1024;
/** The largest message that an HTTP endpoint takes by default. */
export const defaultMaxBodyBytes: number = 4 * 1024 * 1024;

const byteOrderMark = 0xfeff;

/** Reads one message from text. A byte order mark in front is ignored, on every transport. */
export function parseMessage(text: string): ParsedMessage {
  const json = text.charCodeAt(0) === byteOrderMark ? text.slice(1) : text;
  const problem = scanEnvelope(json, maxDepth);
  switch (problem) {
    case "too-deep":
      return invalidMessage(undefined, `Message is nested deeper than ${maxDepth} levels.`);
    case "duplicate-key":
      return invalidMessage(undefined, "Message names a member of its envelope twice.");
  }
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    return invalidMessage(undefined, "Message is not valid JSON.", WireCode.parse);
  }
  return problem === undefined ? classify(value) : refuse(value, ambiguities[problem]);
}

const ambiguities = {
  "look-alike-key":
    'Message names a member of its envelope in other letters; they are "jsonrpc", "id", "method", "params", "result" and "error".',
  "duplicate-param": "Message names a member of its params twice.",
} as const;

/** The error for a message that can't be accepted, with its id as far as its correctly spelled members tell. */
function refuse(value: unknown, message: string): InvalidMessage {
  if (!isObject(value)) return invalidMessage(undefined, message);
  const refused = invalidMessage(isRequestId(value.id) ? value.id : undefined, message);
  return "method" in value ? refused : { ...refused, answers: true };
}
