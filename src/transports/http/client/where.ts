/** A URL for messages: without what may be secret. */
export function where({ origin, pathname }: URL): string {
  return `${origin}${pathname}`;
}
