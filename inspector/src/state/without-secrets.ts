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

/** Tells texts that hold a secret which can be recognised, such as a bearer token. */
export function hasSecret(text: string): boolean {
  return maskText(text) !== text;
}

const flagWithValue = /(--?([\w.-]{1,64}))[ \t]+(?!-)(?:"[^"]*"|'[^']*'|\S+)/g;

/** A command line with empty places where secrets stood. */
export function commandWithoutSecrets(command: string): string {
  const named = command.replace(flagWithValue, (whole, flag: string, name: string) =>
    isSecretName(name) ? `${flag} ` : whole,
  );
  return maskText(named).replaceAll(mask, "").trimEnd();
}

/** An address without its user, its query and its fragment: keys hide there. */
export function urlWithoutSecrets(url: string): string {
  const [address = ""] = url.split(/[?#]/, 1);
  return address.replace(/^([a-z][a-z+.-]*:\/\/)[^/@]*@/i, "$1");
}
