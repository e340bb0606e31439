import { reservedCharacters, slashMark } from "./percent.ts";

/** The characters of a decoded URI that a value may hold. */
export interface CharacterSet {
  readonly ascii: Uint8Array;
  readonly slashes: boolean;
}

/** All that is not reserved, and `reserved`. Without `slashes`, a slash or backslash is left out however it is written. */
export function toCharacterSet(reserved: string, { slashes }: { readonly slashes: boolean }): CharacterSet {
  const ascii = Uint8Array.from({ length: 128 }, (_, code) => {
    const character = String.fromCharCode(code);
    if (reservedCharacters.includes(character)) return Number(reserved.includes(character));
    return Number(slashes || character !== "\\");
  });
  return { ascii, slashes };
}

export function allows(set: CharacterSet, code: number): boolean {
  return code < 128 ? set.ascii[code] === 1 : set.slashes || code !== slashMark;
}
