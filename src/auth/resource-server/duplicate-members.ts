const token = /"(?:[^"\\]|\\.)*"|[{}[\]:]/g;

/**
 * Returns whether the object in a JSON text names a member twice. Members of its members are not looked at.
 *
 * Parsers differ in which of the two counts, so that two servers could read different tokens (RFC 7519, section 4).
 */
export function hasDuplicateMembers(text: string): boolean {
  let depth = 0;
  let members = 0;
  for (const [found] of text.matchAll(token)) {
    if (found === "{" || found === "[") depth++;
    else if (found === "}" || found === "]") depth--;
    else if (found === ":" && depth === 1) members++;
  }
  return members > Object.keys(JSON.parse(text)).length;
}
