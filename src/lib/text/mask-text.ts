import { isSecretName, isSecretValue } from "./secret-name.ts";

/** The text in the place of a secret. */
export const mask = "***";

// Each pattern takes time in proportion to the text, whatever the text is.

/** Secrets that are known by their form: JSON Web Tokens, keys of well-known services, private keys. */
const knownForms = [
  /\beyJ[\w-]{8,}\.[\w-]+\.[\w-]*/g,
  /\b(?:gh[oprsu]_\w{16,}|github_pat_\w{16,}|glpat-[\w-]{16,}|sk-[\w-]{20,}|xox[a-z]-[\w-]{8,}|AKIA[A-Z\d]{16})/g,
  /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----(?:(?!-----)[\s\S])*(?:-----END [A-Z ]{0,60}-----)?/g,
];
const credentials = /\b(bearer|basic|dpop|negotiate)\s{1,8}[\w~+/.=-]+/gi;
/** An option of a command line, with the word that follows it. */
const commandOptions = /(?<![\w-])(--?[a-z][\w-]{0,63})([ \t]{1,3})((?!-)[^\s"'&;,\\}\])]+)/gi;
const userInfo = /(:\/\/)[^\s/?#@"'<>]{1,1024}@/g;

/** Text without the secrets that can be recognised: tokens, credentials of URLs, and values that follow a telling name. */
export function maskText(text: string): string {
  const known = knownForms.reduce((masked, form) => masked.replace(form, mask), text);
  return maskNamed(known.replace(userInfo, `$1${mask}@`))
    .replace(commandOptions, (all, option: string, space: string) =>
      isSecretOption(option) ? `${option}${space}${mask}` : all,
    )
    .replace(credentials, `$1 ${mask}`);
}

/** Returns whether a word of a command line is an option whose value, the next word, is a secret. */
export function isSecretOption(word: unknown): boolean {
  return typeof word === "string" && /^--?[a-z][\w-]*$/i.test(word) && isSecretName(word.replace(/^-+/, ""));
}

/**
 * A sign between a name and its value, with the name before it. A URL inside a URL has the sign encoded; letters of a
 * name may be encoded, too, and other encoded characters end it.
 */
const signs =
  /(?:[:=]|%(?:25){0,2}3D)(?<=((?:%(?:5F|2D|[46][1-9a-f]|[57][\da])|(?<!%(?=[\da-f]{2})[\da-f]?)[\w.-]){1,64})(?:\\{0,8}["'])?[ \t]{0,3}([:=]|%(?:25){0,2}3D))/gi;

function maskNamed(text: string): string {
  const pattern = new RegExp(signs);
  let shown = "";
  let from = 0;
  for (let found = pattern.exec(text); found !== null; found = pattern.exec(text)) {
    const [, name = "", sign = ""] = found;
    const value = findSecret(text, pattern.lastIndex, { name: toName(name), sign });
    if (value === undefined) continue;
    shown += `${text.slice(from, value.start)}${mask}`;
    from = value.end;
    pattern.lastIndex = value.end;
  }
  return shown + text.slice(from);
}

function toName(encoded: string): string {
  return encoded.replace(/%(..)/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

interface Named {
  readonly name: string;
  readonly sign: string;
}

/** The most characters by which a value is judged. */
const maxJudged = 48;
const opening = /[ \t]{0,3}(\\{0,8}["'])?/y;
const plain = /[^\s"'&;,\\}\])]+/y;
const encoded = /(?:(?!%(?:25){0,2}26)[^\s"'&;,\\}\])])+/y;
const wholeLine = /[^\r\n]+/y;

/** The place of the value after a sign, if it is a secret. */
function findSecret(text: string, at: number, { name, sign }: Named) {
  const [space = "", quote] = matchAt(opening, text, at) ?? [];
  const start = at + space.length;
  const judged = text.slice(start, start + maxJudged);
  if (!isSecretValue(name, matchAt(patternOf(sign), judged, 0)?.[0] ?? "")) return undefined;
  const end = quote === undefined ? endOfPlain(text, start, { name, sign }) : endOfQuoted(text, start, quote);
  return end > start ? { start, end } : undefined;
}

function patternOf(sign: string): RegExp {
  return sign.startsWith("%") ? encoded : plain;
}

/** Credentials and cookies of a header go on to the end of its line. */
function endOfPlain(text: string, start: number, { name, sign }: Named): number {
  const isHeader = sign === ":" && /(?:authori[sz]ation|cookie2?)$/i.test(name);
  const pattern = isHeader ? wholeLine : patternOf(sign);
  return start + (matchAt(pattern, text, start)?.[0].length ?? 0);
}

/** A quote inside the value has more backslashes than the one that opens it. */
function endOfQuoted(text: string, start: number, opened: string): number {
  const quote = opened.slice(-1);
  for (let end = text.indexOf(quote, start); end >= 0; end = text.indexOf(quote, end + 1)) {
    let slashes = 0;
    while (text[end - 1 - slashes] === "\\") slashes++;
    if (slashes < opened.length) return end - slashes;
  }
  return text.length;
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}
