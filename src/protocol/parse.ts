import { isObject, type JsonObject } from "../lib/json.ts";
import { shortestJsonLength } from "../lib/shortest-json.ts";
import {
  classify,
  type InvalidMessage,
  invalidMessage,
  invalidObject,
  isRequestId,
  type ParsedMessage,
} from "./message.ts";
import { isLookAlike, maxParts, maxValues, scanEnvelope } from "./scan-envelope.ts";
import { WireCode } from "./wire-error.ts";

/** The most levels of a message. */
export const maxDepth = 128;
/** The largest message a pipe takes by default. */
export const defaultMaxMessageBytes: number = 64 * 1024 * 1024;
/** The largest message that an HTTP endpoint takes by default. */
export const defaultMaxBodyBytes: number = 4 * 1024 * 1024;

/** A parser needs memory for each level that is open, so a longer text is scanned before it is parsed. */
const maxUnscannedLength = 64 * 1024;
const byteOrderMark = 0xfeff;

/** Reads one message from text. A byte order mark in front is ignored, on every transport. */
export function parseMessage(text: string): ParsedMessage {
  const json = text.charCodeAt(0) === byteOrderMark ? text.slice(1) : text;
  const isShort = json.length <= maxUnscannedLength;
  const early = isShort ? parseJson(json) : undefined;
  if (isShort && isUnambiguous(json, early)) return classify(early);
  const { problem, paramMembers } = scanEnvelope(json, maxDepth);
  if (problem === "too-deep" || problem === "too-many") {
    const excess =
      problem === "too-deep"
        ? `is nested deeper than ${maxDepth} levels`
        : `has more than ${maxParts} strings, lists and objects, or ${maxValues} values`;
    return { ...invalidMessage(undefined, `Message ${excess}.`), unparsed: problem };
  }
  if (problem === "duplicate-key")
    return invalidMessage(undefined, "Message names a member of its envelope twice.");
  const value = isShort ? early : parseJson(json);
  if (value === undefined) return invalidMessage(undefined, "Message is not valid JSON.", WireCode.parse);
  if (problem === "look-alike-key") return refuse(value, lookAlike);
  if (paramMembers !== countParamMembers(value)) return refuse(value, duplicateParam);
  return classify(value);
}

const lookAlike = "Message has a member of its envelope in the wrong case.";
/** A proxy, an access rule or a person may have judged the request by the other one. */
const duplicateParam = "Message names a member of its params twice.";

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** True for a message in which a scan would find nothing. It is the shortest text of its value, as nearly all are. */
function isUnambiguous(text: string, value: unknown): boolean {
  if (!isObject(value) || shortestJsonLength(value, maxDepth) !== text.length) return false;
  for (const name in value) if (isLookAlike(name)) return false;
  return true;
}

function countParamMembers(value: unknown): number {
  if (!Array.isArray(value)) return isObject(value) ? countMembers(value.params) : 0;
  let count = 0;
  for (const message of value) if (isObject(message)) count += countMembers(message.params);
  return count;
}

/** The members of all objects in a value. It is not deeper than `maxDepth`. */
function countMembers(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  let count = 0;
  if (Array.isArray(value)) for (const item of value) count += countMembers(item);
  else for (const key in value) count += 1 + countMembers((value as JsonObject)[key]);
  return count;
}

/** The error for a message that can't be accepted, with its id, if its members are spelled correctly. */
function refuse(value: unknown, message: string): InvalidMessage {
  if (!isObject(value)) return invalidMessage(undefined, message);
  return invalidObject(value, isRequestId(value.id) ? value.id : undefined, message);
}
