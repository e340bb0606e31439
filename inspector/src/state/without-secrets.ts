import { mask, maskText } from "../../../src/lib/text/mask-text.ts";
import { isSecretName, isSecretValue } from "../../../src/lib/text/secret-name.ts";

/** Values without those that are secrets, by their names and by their form, for the page to remember. */
export function membersWithoutSecrets(
  values: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(values).filter(([name, value]) => !isSecretValue(name, value) && !hasSecret(value)),
  );
}

/** Tells texts that hold a secret which can be recognised, such as a bearer token, or a key in an address. */
export function hasSecret(text: string): boolean {
  return maskText(text) !== text || [...text.matchAll(address)].some(([url]) => hasKey(url));
}

const flagWithValue = /(--?([\w.-]{1,64}))[ \t]+(?!-)(?:"[^"]*"|'[^']*'|\S+)/g;
const address = /[a-z][a-z\d+.-]{0,20}:\/\/[^\s"'<>]+/gi;

/** A command line, or a label made of one, with empty places where secrets stood. */
export function commandWithoutSecrets(command: string): string {
  const named = command
    .replace(address, (url) => urlWithoutSecrets(url))
    .replace(flagWithValue, (whole, flag: string, name: string) => (isSecretName(name) ? `${flag} ` : whole));
  return maskText(named).replaceAll(mask, "").trimEnd();
}

/** An address without its user, its query and its fragment, up to the first part of its path that may be a key. */
export function urlWithoutSecrets(url: string): string {
  const [plain = ""] = url.split(/[?#]/, 1);
  const [, origin = "", path = plain] = /^([a-z][a-z\d+.-]*:\/\/[^/]*)(.*)$/i.exec(plain) ?? [];
  const parts = path.split("/");
  const at = parts.findIndex(isKey);
  const shown = at < 0 ? path : `${parts.slice(0, at).join("/")}/`;
  return origin.replace(/\/\/[^@]*@/, "//") + shown;
}

/** Tells addresses with a key in the path or in the query. */
function hasKey(url: string): boolean {
  const [path = "", query = ""] = url.replace(/#.*/, "").split("?", 2);
  const parts = path.replace(/^[^/]*\/\/[^/]*/, "").split("/");
  const values = query.split("&").map((pair) => pair.replace(/^[^=]*=/, ""));
  return parts.some(isKey) || values.some((value) => isRandom(value));
}

/** Tells parts of a path that may be a key: by their form, or because the part before says so. */
function isKey(part: string, at: number, parts: readonly string[]): boolean {
  return part !== "" && (isRandom(part) || maskText(part) !== part || isSecretName(parts[at - 1] ?? ""));
}

/** Tells keys from words: a key is long, and goes from letters to digits and back, or is longer than words are. */
function isRandom(word: string): boolean {
  const plain = word.replace(/%[\da-f]{2}/gi, "");
  if (plain.length < 16 || !/^[\w~+.=-]+$/.test(plain)) return false;
  const switches = plain.replace(/[^a-z\d]/gi, "").match(/\d(?=[a-z])|[a-z](?=\d)/gi)?.length ?? 0;
  return switches >= 4 || /^[a-z\d]{24,}$/i.test(plain);
}
