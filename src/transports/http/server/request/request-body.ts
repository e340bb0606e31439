import { decodeUtf8 } from "../../../../lib/utf8.ts";
import type { WaitDeadline } from "../shared-deadline.ts";

export interface BodyLimits {
  readonly maxBodyBytes: number;
  readonly bodyMs: number;
  /** Expires after `bodyMs`. */
  readonly bodyDeadline: WaitDeadline;
}

/** The text of a body, or the error response to one that could not be read. */
export type BodyText =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly status: 400 | 408 | 413; readonly problem: string };

export const bodyLost: BodyText = { ok: false, status: 400, problem: "The body did not arrive whole." };

export function bodyTooLarge({ maxBodyBytes }: BodyLimits): BodyText {
  return {
    ok: false,
    status: 413,
    problem: `The body is larger than ${maxBodyBytes} bytes; raise maxBodyBytes if it may be.`,
  };
}

export function bodyTooSlow({ bodyMs }: BodyLimits): BodyText {
  return { ok: false, status: 408, problem: `The body took longer than ${bodyMs} ms to arrive.` };
}

export function toBodyText(bytes: Uint8Array): BodyText {
  const text = decodeUtf8(bytes);
  if (text === undefined) return { ok: false, status: 400, problem: "The body is not valid UTF-8." };
  return { ok: true, text };
}
