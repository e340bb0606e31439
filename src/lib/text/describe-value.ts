const maxShown = 60;

/** A value in words, for an error message: `"text"`, `5`, `an array`, `a function`, `a Map`, `an object`. */
export function describeValue(value: unknown): string {
  switch (typeof value) {
    case "string":
      return JSON.stringify(value.length > maxShown ? `${value.slice(0, maxShown)}…` : value);
    case "function":
      return "a function";
    case "object":
      if (value instanceof Promise) return "a Promise that is not awaited";
      return value === null ? "null" : withArticle(nameOf(value));
    case "bigint":
      return `the BigInt ${value}n`;
    default:
      return String(value);
  }
}

function nameOf(value: object): string {
  if (Array.isArray(value)) return "array";
  const name: unknown = value.constructor?.name;
  return typeof name === "string" && name !== "" && name !== "Object" ? name : "object";
}

function withArticle(noun: string): string {
  return `${/^[aeio]/i.test(noun) ? "an" : "a"} ${noun}`;
}
