export type Operator = "" | "+" | "#" | "." | "/" | ";" | "?" | "&";

/** The notation of the values of an expression (RFC 6570, appendix A). */
export interface Notation {
  readonly first: string;
  readonly separator: string;
  /** Values are written as `name=value`. */
  readonly named: boolean;
  /** The text after the name of an empty value. */
  readonly ifEmpty: string;
  /** Reserved characters are written as they are. */
  readonly reserved: boolean;
}

const simple: Notation = { first: "", separator: ",", named: false, ifEmpty: "", reserved: false };

export const notations: Readonly<Record<Operator, Notation>> = {
  "": simple,
  "+": { ...simple, reserved: true },
  "#": { ...simple, first: "#", reserved: true },
  ".": { ...simple, first: ".", separator: "." },
  "/": { ...simple, first: "/", separator: "/" },
  ";": { ...simple, first: ";", separator: ";", named: true },
  "?": { ...simple, first: "?", separator: "&", named: true, ifEmpty: "=" },
  "&": { ...simple, first: "&", separator: "&", named: true, ifEmpty: "=" },
};
