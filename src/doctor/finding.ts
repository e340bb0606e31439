/** Something that the doctor noticed, with what to do. */
export interface Finding {
  /** `unsafe` and `broken` make the command end with 1. */
  readonly severity: "unsafe" | "broken" | "advice";
  /** The part of the server that it is about: `tool "add"`, `revision`. */
  readonly about: string;
  readonly problem: string;
  readonly fix: string;
}

const order: readonly Finding["severity"][] = ["unsafe", "broken", "advice"];

/** The most urgent comes first. */
export function sortFindings(findings: readonly Finding[]): Finding[] {
  return [...findings].sort((a, b) => order.indexOf(a.severity) - order.indexOf(b.severity));
}
