/**
 * True in Cloudflare's workers: timers, and work that nobody waits for, end with the request that started
 * them, and one request should not use the timers of another.
 *
 * https://developers.cloudflare.com/workers/runtime-apis/context/#waituntil
 */
export const endsWorkWithRequest: boolean = globalThis.navigator?.userAgent === "Cloudflare-Workers";
