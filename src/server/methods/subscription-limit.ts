import { invalidParams } from "../../errors.ts";

// Subscriptions are kept for as long as whoever made them lives.
export const maxSubscriptions = 10_000;
const maxUriLength = 8_192;

export function assertSubscribable(uri: string): void {
  if (uri.length > maxUriLength)
    throw invalidParams(`uri must be at most ${maxUriLength} characters to be subscribed to.`);
}
