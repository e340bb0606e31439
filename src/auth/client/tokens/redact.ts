const secretParameters = [
  "refresh_token",
  "code",
  "code_verifier",
  "client_secret",
  "client_assertion",
  "assertion",
  "subject_token",
  "device_code",
];

// Shorter ones would take ordinary words out of a message, and are no secrets.
const shortest = 6;

/** What of a form is for nobody but whom it is sent to. */
export function secretsOf(body: unknown): string[] {
  if (!(body instanceof URLSearchParams)) return [];
  return secretParameters.flatMap((name) => body.getAll(name)).filter(({ length }) => length >= shortest);
}

/** A text of others without what they were shown: some repeat it when they say no. */
export function redact(text: string, secrets: readonly string[]): string {
  return secrets.reduce((line, secret) => line.replaceAll(secret, "(secret)"), text);
}
