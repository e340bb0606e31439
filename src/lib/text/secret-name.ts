/** Words that name a secret wherever they stand. */
const telling =
  /token(?!s$|i[sz])|secret(?!ar)|passw(?:or[dt]|d)|passphrase|passcode|credential|authori[sz]ation|signature|[cx]srf|(?:api|private|access|auth)[-_ ]?key|session[-_ ]?id|code[-_ ]?verifier/i;

/** Words that name a secret alone, or at the end of a name. */
const tellingAtEnd =
  /(?:^|[-_. ])(?:auth|pwd|pass|otp|pin|sig|sid|jwt|dpop|assertion|cookies?|set-cookie2)$|[-_](?:key|pat)$|(?:access|refresh|auth|id|api|bearer|session)[-_]?tokens$/i;

/** Names that sound like a secret and hold none: positions in a list, keys of a table, facts about a secret. */
const harmless =
  /^(?:progress|continuation|next|page|next[-_]?page)[-_]?token$|(?:^|[-_])(?:public|primary|foreign|sort|partition|cache|idempotency)[-_]?key$|[-_](?:endpoint|servers?|types?|type[-_]hint|methods?|supported|count|limit|expires[-_](?:at|in)|ur[il])$/i;

/** Returns whether a header, a parameter or a member of this name usually holds a secret. */
export function isSecretName(name: string): boolean {
  const words = name.replace(/([a-z\d])(?!Key$)([A-Z])/g, "$1-$2");
  return (telling.test(words) || tellingAtEnd.test(words)) && !harmless.test(words);
}

/** Returns whether a value is a secret by its name, or by its form where the name leaves it open. */
export function isSecretValue(name: string, value: unknown): boolean {
  if (isSecretName(name)) return true;
  if (typeof value !== "string") return false;
  if (/^code$/i.test(name)) return isCode.test(value);
  return (
    /^(?:key|state|session)$/i.test(name.replace(/^.*[a-z\d](?=Key$)/, "")) &&
    !harmless.test(name) &&
    isRandom.test(value)
  );
}

/** A code of OAuth, not one of an error or of a program. */
const isCode = /^(?!-?\d{1,5}$)\S+$/;
const isRandom = /^(?=[^\d]*\d)(?=[^a-z]*[a-z])[\w~+/.=-]{16,}$/i;
