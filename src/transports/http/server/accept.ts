/** The ways in which a client can read an answer. */
export interface Accepts {
  readonly json: boolean;
  readonly events: boolean;
}

const everything: Accepts = { json: true, events: true };

/** Headers that were read before: clients send the same ones again and again. */
const known = new Map<string, Accepts>();
const maxKnown = 100;

/** What an `Accept` header lets us send. Absent means anything, as HTTP says. */
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
  // The range that says most decides.
  const takes = (...types: readonly string[]) => types.map((type) => ranges.get(type)).find(isGiven) === true;
  return {
    json: takes("application/json", "application/*", "*/*"),
    events: takes("text/event-stream", "text/*", "*/*"),
  };
}

function isGiven(wanted: boolean | undefined): boolean {
  return wanted !== undefined;
}

/** A media range, and whether it is wanted. */
function readRange(range: string): [type: string, wanted: boolean] {
  const [type = "", ...parameters] = range.split(";").map((part) => part.trim());
  return [type, !parameters.some((parameter) => /^q\s*=\s*0(?:\.0*)?$/.test(parameter))];
}

/** Whether a body is declared to be JSON, and nothing beside it. */
export function isJsonContentType(contentType: string | undefined): boolean {
  if (contentType === "application/json") return true;
  return contentType !== undefined && /^\s*application\/json\s*(?:;[^,]*)?$/i.test(contentType);
}
