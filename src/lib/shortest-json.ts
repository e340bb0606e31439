/**
 * The length of the shortest text from which `JSON.parse` makes a value. A text of this length has no white space, and
 * no object in it names a member twice: either would make it longer.
 *
 * NaN for a value that is nested in more levels than these, or has a number that may be written in several ways.
 */
export function shortestJsonLength(value: unknown, levels: number): number {
  switch (typeof value) {
    case "string":
      return value.length + 2;
    case "number":
      return shortestNumberLength(value);
    case "boolean":
      return value ? 4 : 5;
  }
  if (typeof value !== "object" || value === null) return 4;
  if (levels === 0) return Number.NaN;
  // One bracket; the other one, or a comma, follows each member.
  let length = 1;
  if (Array.isArray(value)) for (const item of value) length += shortestJsonLength(item, levels - 1) + 1;
  else
    for (const name in value)
      length += name.length + 4 + shortestJsonLength((value as Members)[name], levels - 1);
  return length === 1 ? 2 : length;
}

type Members = { readonly [name: string]: unknown };

/** Only an integer that ends with three zeros is shorter with an exponent. */
function shortestNumberLength(value: number): number {
  if (!Number.isSafeInteger(value) || (value % 1_000 === 0 && value !== 0)) return Number.NaN;
  let length = value < 0 ? 2 : 1;
  for (let rest = Math.abs(value); rest >= 10; rest /= 10) length++;
  return length;
}
