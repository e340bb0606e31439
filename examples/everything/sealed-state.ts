import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { RpcError, WireCode } from "allspeak";

// State that a client carries for us could come back changed, so it is signed with a key that never leaves
// this process. The tool's name is signed too: state of one tool is worth nothing to another.
const key = randomBytes(32);

export function seal(owner: string, value: unknown): string {
  const body = Buffer.from(JSON.stringify(value)).toString("base64url");
  return `${body}.${sign(owner, body).toString("base64url")}`;
}

/** What was sealed; throws for anything that this process did not seal for this owner. */
export function unseal(owner: string, state: string): unknown {
  const [body = "", signature = "", ...rest] = state.split(".");
  const given = Buffer.from(signature, "base64url");
  const expected = sign(owner, body);
  const genuine = given.length === expected.length && timingSafeEqual(given, expected);
  // Decoding skips what is not base64, so the text itself is compared too.
  if (!genuine || given.toString("base64url") !== signature || rest.length > 0) {
    throw new RpcError(WireCode.invalidParams, "requestState was not made by this server, or was changed.");
  }
  return JSON.parse(Buffer.from(body, "base64url").toString());
}

function sign(owner: string, body: string): Buffer {
  return createHmac("sha256", key).update(`${owner}\n${body}`).digest();
}
