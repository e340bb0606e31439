/** A URL for messages: without what may be secret. */
export function showUrl({ origin, pathname }: URL): string {
  return `${origin}${pathname}`;
}
