// Writes characters beyond ASCII as escapes, and keeps the source map right: one character beyond Latin-1 makes Node
// keep a whole file in two bytes a character. It is done to the finished code, since a bundler prints them as they are.

const beyondAscii = /[\u0080-\uffff]/g;
const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

export function escapeCharacters(code) {
  return code.replaceAll(beyondAscii, toEscape);
}

/** The `mappings` of a source map of the code, for the code with escapes. */
export function shiftMappings(mappings, code) {
  const lines = code.split("\n");
  return mappings
    .split(";")
    .map((segments, index) => shiftLine(segments, lines[index] ?? ""))
    .join(";");
}

/** Only the first number of a segment is about the code: its column, counted from that of the segment before. */
function shiftLine(segments, line) {
  const escaped = [...line.matchAll(beyondAscii)].map(({ index }) => index);
  if (escaped.length === 0 || segments === "") return segments;
  const added = toEscape("\u0080").length - 1;
  let column = 0;
  let shifted = 0;
  return segments
    .split(",")
    .map((segment) => {
      const [first] = /^[g-z0-9+/]*[A-Za-f]/.exec(segment);
      column += decode(first);
      const before = shifted;
      shifted = column + added * escaped.filter((index) => index < column).length;
      return encode(shifted - before) + segment.slice(first.length);
    })
    .join(",");
}

function toEscape(character) {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** Reads a number of a source map: digits of five bits, the lowest first; the lowest bit of all is the sign. */
function decode(text) {
  const value = [...text].reduceRight((sum, digit) => sum * 32 + (digits.indexOf(digit) % 32), 0);
  return (value % 2 ? -1 : 1) * Math.floor(value / 2);
}

function encode(number) {
  let rest = Math.abs(number) * 2 + (number < 0 ? 1 : 0);
  let text = "";
  do {
    text += digits[(rest % 32) + (rest >= 32 ? 32 : 0)];
    rest = Math.floor(rest / 32);
  } while (rest > 0);
  return text;
}
