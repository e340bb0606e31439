/** The ways in which a client can read an answer. */
export interface Accepts {
  readonly json: boolean;
  readonly events: boolean;
}

const everything: Accepts = { json: true, events: true };

/** What an `Accept` header lets us send. Absent means anything, as HTTP says. */
export function readAccept(header: string | undefined): Accepts {
  if (header === undefined || header.trim() === "") return everything;
  let json = false;
  let events = false;
  for (const range of header.toLowerCase().split(",")) {
    const [type = "", ...parameters] = range.split(";").map((part) => part.trim());
    if (parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter))) continue;
    if (type === "*/*" || type === "application/*" || type === "application/json") json = true;
    if (type === "*/*" || type === "text/*" || type === "text/event-stream") events = true;
  }
  return { json, events };
}

/** Whether a body is declared to be JSON, and nothing beside it. */
export function isJson(contentType: string | undefined): boolean {
  return contentType !== undefined && /^\s*application\/json\s*(?:;[^,]*)?$/i.test(contentType);
}
