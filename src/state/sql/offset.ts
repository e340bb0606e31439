/** The number of an offset; undefined for a text that is not one. */
export function parseOffset(offset: string): number | undefined {
  return /^(?:0|[1-9]\d{0,15})$/.test(offset) && Number.isSafeInteger(Number(offset))
    ? Number(offset)
    : undefined;
}
