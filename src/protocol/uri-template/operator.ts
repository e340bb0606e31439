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

/* @__NO_SIDE_EFFECTS__ */
function notation(differences: Partial<Notation>): Notation {
  return { first: "", separator: ",", named: false, ifEmpty: "", reserved: false, ...differences };
}

export const notations: Readonly<Record<Operator, Notation>> = {
  "": notation({}),
  "+": notation({ reserved: true }),
  "#": notation({ first: "#", reserved: true }),
  ".": notation({ first: ".", separator: "." }),
  "/": notation({ first: "/", separator: "/" }),
  ";": notation({ first: ";", separator: ";", named: true }),
  "?": notation({ first: "?", separator: "&", named: true, ifEmpty: "=" }),
  "&": notation({ first: "&", separator: "&", named: true, ifEmpty: "=" }),
};
