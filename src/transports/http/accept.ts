/** The ways in which a client can read an answer. */
export interface Accepts {
  readonly json: boolean;
  readonly events: boolean;
}

const everything: Accepts = { json: true, events: true };

/** What an `Accept` header lets us send. Absent means anything, as HTTP says. */
export function readAccept(header: string | undefined): Accepts {
  if (header === undefined || header.trim() === "") return everything;
  const ranges = new Map(header.toLowerCase().split(",").map(readRange));
  // The range that says most decides.
  const takes = (...types: readonly string[]) =>
    ranges.get(types.find((type) => ranges.has(type)) ?? "") === true;
  return {
    json: takes("application/json", "application/*", "*/*"),
    events: takes("text/event-stream", "text/*", "*/*"),
  };
}

/** A media range, and whether it is wanted. */
function readRange(range: string): [type: string, wanted: boolean] {
  const [type = "", ...parameters] = range.split(";").map((part) => part.trim());
  return [type, !parameters.some((parameter) => /^q\s*=\s*0(?:\.0*)?$/.test(parameter))];
}

/** Whether a body is declared to be JSON, and nothing beside it. */
export function isJson(contentType: string | undefined): boolean {
  return contentType !== undefined && /^\s*application\/json\s*(?:;[^,]*)?$/i.test(contentType);
}
