/** A URL for error messages: origin and path, without the query and credentials, which may be secret. */
export function showUrl({ origin, pathname }: URL): string {
  return `${origin}${pathname}`;
}
