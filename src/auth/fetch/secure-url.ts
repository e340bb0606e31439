import { UsageError } from "../../errors.ts";

/** A URL that may be asked for keys or about tokens: https, or this machine. Throws UsageError. */
export function toSecureUrl(option: string, given: string | URL): URL {
  const url = URL.canParse(String(given)) ? new URL(given) : undefined;
  if (url?.protocol === "https:" || (url?.protocol === "http:" && isThisMachine(url.hostname))) return url;
  throw new UsageError(
    `${option}: ${JSON.stringify(String(given))} must be an https URL; http is only for this machine.`,
  );
}

/** Whether a host can only be this machine. */
function isThisMachine(host: string): boolean {
  return host === "localhost" || host === "[::1]" || /^127(?:\.\d{1,3}){3}$/.test(host);
}

/** The same text for URLs that differ only in a slash at their end. */
export function toComparable(identifier: string): string {
  const text = URL.canParse(identifier) ? new URL(identifier).href : identifier;
  return text.endsWith("/") ? text.slice(0, -1) : text;
}
