/** A URL for error messages: origin and path, without the query and credentials, which may be secret. */
export function showUrl({ origin, protocol, pathname }: URL): string {
  return `${origin === "null" ? protocol : origin}${pathname}`;
}
