import { isSecretName } from "./secret-name.ts";

/** The text in the place of a secret. */
export const mask = "***";

/** Each pattern takes time in proportion to the text, whatever the text is. */
const jwt = /\beyJ[\w-]{8,}\.[\w-]+\.[\w-]*/g;
const credentials = /\b(bearer|basic|dpop|negotiate)\s{1,8}[\w~+/.=-]+/gi;
const userInfo = /(:\/\/)[^\s/?#@"'<>]{1,1024}@/g;
const named =
  /([\w.-]{0,40}(?:token|secret|passw|passphrase|credential|key|authori[sz]ation|cookie|signature|session[-_]?id|code)[\w-]{0,20})(\\?["']?\s{0,3}[:=]\s{0,3}\\?["']?)([^\s"'&;,\\}\])]+)/gi;

/** Text without the secrets that can be recognised: tokens, credentials of URLs, and values that follow a telling name. */
export function maskText(text: string): string {
  return text
    .replace(jwt, mask)
    .replace(credentials, `$1 ${mask}`)
    .replace(userInfo, `$1${mask}@`)
    .replace(named, (all: string, name: string, sign: string) =>
      isSecretName(name) ? `${name}${sign}${mask}` : all,
    );
}

/** The value of a header or a member, masked by its name. */
export function maskHeader(name: string, value: string): string {
  return isSecretName(name) ? mask : maskText(value);
}

/** JSON text without secrets; `value` is what it says, or undefined if it is not JSON. */
export function maskedJson(text: string, value: unknown): string {
  if (value === undefined) return maskText(text);
  try {
    return JSON.stringify(value, maskMember);
  } catch {
    // Nested too deeply for JSON.stringify.
    return maskText(text);
  }
}

function maskMember(name: string, value: unknown): unknown {
  if (typeof value === "string") return maskHeader(name, value);
  if (Array.isArray(value) && isSecretName(name))
    return value.map((item) => (typeof item === "string" ? mask : item));
  return value;
}
