/** Letters of Cyrillic and Greek that look like Latin ones, each before the one that it looks like. */
const pairs =
  "\u0430a \u0410a \u0432b \u0412b \u0441c \u0421c \u0501d \u0500d \u0435e \u0415e \u04bbh \u043dh \u041dh " +
  "\u0456i \u0406i \u04cfl \u0458j \u0408j \u043ak \u041ak \u043cm \u041cm \u043eo \u041eo \u0440p \u0420p " +
  "\u051bq \u051aq \u0455s \u0405s \u0442t \u0422t \u0443y \u0423y \u04afy \u04aey \u051dw \u051cw \u0445x \u0425x " +
  "\u03b1a \u0391a \u0392b \u03f2c \u03f9c \u0395e \u0397h \u03b9i \u0399i \u03f3j \u037fj \u03bak \u039ak \u039cm \u039dn " +
  "\u03bfo \u039fo \u03c1p \u03a1p \u03a4t \u03c5u \u03bdv \u03a5y \u03c7x \u03a7x \u0396z \u0131i \u0261g";

function toLatin(letter: string): string {
  const at = pairs.indexOf(letter);
  return at < 0 ? letter : pairs.charAt(at + 1);
}

/** Characters of ASCII that many fonts draw alike, in the form that follows the case mapping. */
const alikeInAscii: ReadonlyMap<string, string> = new Map([
  ["1", "l"],
  ["i", "l"],
  ["|", "l"],
  ["0", "o"],
]);

/**
 * The skeleton of a name (UTS #39): one text for all names that look the same to a person.
 *
 * Control and format characters show nothing; white space shows no number, and none at the ends.
 */
export function toSkeleton(name: string): string {
  const visible = name
    .normalize("NFKC")
    .replace(/[\p{Cf}\p{Default_Ignorable_Code_Point}]|(?!\s)\p{Cc}/gu, "")
    .trim()
    .replace(/\s+/gu, " ");
  const letters = visible.replace(/[^\x20-\x7e]/g, toLatin).toLowerCase();
  return letters.replace(/[1i|0]/g, (letter) => alikeInAscii.get(letter) ?? letter);
}
