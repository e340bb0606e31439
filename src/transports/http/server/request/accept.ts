import type { HttpRequest } from "../http-interface.ts";

/** The media types in which a client accepts an answer. */
export interface Accepts {
  readonly json: boolean;
  readonly events: boolean;
}

const everything: Accepts = { json: true, events: true };

/** Headers that were read before: clients send the same ones with each request. */
const known = new Map<string, Accepts>();
const maxKnown = 100;

/** Reads an `Accept` header. Without one every media type is accepted (RFC 9110, section 12.5.1). */
export function readAccept(header: string | undefined): Accepts {
  if (header === undefined || header.trim() === "") return everything;
  const before = known.get(header);
  if (before) return before;
  const accepts = parseAccept(header);
  if (known.size >= maxKnown) known.clear();
  known.set(header, accepts);
  return accepts;
}

function parseAccept(header: string): Accepts {
  const ranges = new Map(header.toLowerCase().split(",").map(readRange));
  // The most specific range decides.
  const takes = (...types: readonly string[]) => types.map((type) => ranges.get(type)).find(isGiven) === true;
  return {
    json: takes("application/json", "application/*", "*/*"),
    events: takes("text/event-stream", "text/*", "*/*"),
  };
}

function isGiven(isAccepted: boolean | undefined): boolean {
  return isAccepted !== undefined;
}

/** A media range, and whether it is accepted. */
function readRange(range: string): [type: string, isAccepted: boolean] {
  const [type = "", ...parameters] = range.split(";").map((part) => part.trim());
  return [type, !parameters.some((parameter) => /^q\s*=\s*0(?:\.0*)?$/.test(parameter))];
}

/** True if a person has opened the address in a browser. */
export function isFromBrowser(http: HttpRequest): boolean {
  if (http.method !== "GET" || http.header("mcp-session-id") !== undefined) return false;
  const accept = http.header("accept") ?? "";
  return accept.includes("text/html") && !accept.includes("text/event-stream");
}

/** True if a body is declared to be JSON, with no second media type beside it. */
export function isJsonContentType(contentType: string | undefined): boolean {
  if (contentType === "application/json") return true;
  return contentType !== undefined && /^\s*application\/json\s*(?:;[^,]*)?$/i.test(contentType);
}
