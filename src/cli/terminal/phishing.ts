import { isObject, type JsonObject } from "../../lib/json.ts";
import { isSecretName } from "../../lib/text/secret-name.ts";

/** Words for secrets in the prose of a form, where "token" and "code" may mean anything. */
const secretWords =
  /pass(?:word|phrase|code|wd)|passwort|secret|credential|api[-_ ]?key|private[-_ ]?key|access[-_ ]?token|\botp\b|\bpin\b|\bcvv\b|credit[-_ ]?card|card[-_ ]?number|\bssn\b/i;

/**
 * The property of a form that looks like a secret.
 *
 * client/elicitation#form-mode-security (2025-11-25): forms must not ask for sensitive information.
 */
export function findSecret(schema: JsonObject): string | undefined {
  const properties = isObject(schema.properties) ? Object.entries(schema.properties) : [];
  const found = properties.find(([name, property]) => {
    const { title, description, format } = isObject(property) ? property : {};
    if (format === "password" || isSecretName(name)) return true;
    return [name, title, description].some((text) => typeof text === "string" && secretWords.test(text));
  });
  return found && JSON.stringify(found[0]);
}

/** True for a site whose name is written with other letters than it has on the wire. */
export function isPunycode(url: string): boolean {
  return new URL(url).hostname.split(".").some((label) => label.startsWith("xn--"));
}
