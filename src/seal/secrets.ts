import { UsageError } from "../errors.ts";
import { fromBase64url } from "../lib/encoding/base64.ts";
import type { Bytes } from "../lib/encoding/bytes.ts";

const minSecretBytes = 32;

const variable = "ALLSPEAK_STATE_KEYS";

/** Throws UsageError when these, or without them those of the environment, can't be used. */
export function assertSecrets(secrets?: readonly string[]): void {
  readSecrets(secrets);
}

/** The bytes of each secret, of these or those of the environment; undefined without any. Throws as `assertSecrets`. */
export function readSecrets(secrets?: readonly string[]): readonly Bytes[] | undefined {
  const given = secrets ?? readEnvironment();
  const materials = given?.map((secret, at) => toMaterial(secret, `Key ${at + 1}`));
  if (materials?.length !== 0) return materials;
  throw new UsageError(`No state key is given; leave the option out, or make a key with ${howToMake}.`);
}

/** The secrets of the environment; undefined without the variable, or when it is empty. */
function readEnvironment(): string[] | undefined {
  const secrets = globalThis.process?.env?.[variable]?.split(",").filter((secret) => secret.trim() !== "");
  return secrets?.length ? secrets : undefined;
}

const howToMake = "`openssl rand -base64 32`";

/** The message never shows the secret: it may end in a log. */
function toMaterial(secret: string, name: string): Bytes {
  // Secrets are often read from files that end with a newline.
  const text = secret.trim();
  const decoded = fromBase64url(text.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, ""));
  if (decoded && decoded.length >= minSecretBytes) return decoded;
  if (text.length >= minSecretBytes) return new TextEncoder().encode(text);
  throw new UsageError(
    `${name} of the state keys has ${text.length} characters, and needs ${minSecretBytes} or more; ` +
      `make one with ${howToMake} and give all nodes the same, by ${variable} or the option.`,
  );
}
