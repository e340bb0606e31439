export type SealFault = "malformed" | "unknown-key" | "tampered" | "mismatch" | "expired" | "gone";

const texts: Record<SealFault, string> = {
  malformed: "it was not made by a server like this one",
  "unknown-key": "it was sealed with a key that this server does not have",
  tampered: "it was changed on the way",
  mismatch: "it belongs to another request",
  expired: "it has expired",
  gone: "what it refers to is no longer kept",
};

/** The reason why sealed text can't be opened. */
export class SealError extends Error {
  override readonly name = "SealError";
  readonly reason: SealFault;

  constructor(reason: SealFault) {
    super(texts[reason]);
    this.reason = reason;
  }
}
