const secretName =
  /^(?:cookie|set-cookie2?|code|jwt|pin)$|authori[sz]ation|token|secret|passw(?:or)?d|passphrase|credential|api[-_]?key|private[-_]?key|access[-_]?key|session[-_]?id|signature/i;

/** Names that end like a secret and hold none. */
const harmless = /^(?:progress|continuation|next|page)[-_]?token$|tokens$|_endpoint$/i;

/** Returns whether a header, a parameter or a member of this name usually holds a secret. */
export function isSecretName(name: string): boolean {
  return secretName.test(name) && !harmless.test(name);
}
