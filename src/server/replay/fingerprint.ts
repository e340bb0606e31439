/**
 * Tells texts apart, 53 bits at a time, without waiting. No protection against those who mean harm: what it
 * stands in must be sealed.
 */
export function fingerprint(text: string): string {
  return [0x9e3779b1, 0x85ebca6b].map((seed) => mix(text, seed).toString(36)).join("");
}

function mix(text: string, seed: number): number {
  let high = seed;
  let low = ~seed;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    high = Math.imul(high ^ code, 0x01000193) ^ (low >>> 15);
    low = Math.imul(low ^ code, 0x811c9dc5) ^ (high >>> 13);
  }
  return (high >>> 0) * 2 ** 21 + (low >>> 11);
}
