import { UsageError } from "../../errors.ts";
import type { OpenLogin } from "../client/login.ts";
import type { CheckedFetch } from "./safe-fetch.ts";

interface Platform {
  readonly process?: { readonly versions?: { readonly node?: string } };
  readonly navigator?: { readonly userAgent?: string };
}

/** Makes requests with what the host gave, else with the best that the platform has. */
export function platformFetch(given: typeof fetch | undefined): CheckedFetch {
  if (given) return (url, init) => given(url, init);
  if (!isNode()) return (url, init) => fetch(url, init);
  return async (url, init, check) => {
    // Loaded when needed: only this part needs Node.
    const { pinnedFetch } = await import("../../node/pinned-fetch.ts");
    return pinnedFetch(url, init, check);
  };
}

/** How users log in where the host did not say. */
export async function platformLogin(): Promise<OpenLogin> {
  if (!isNode())
    throw new UsageError("oauth() needs authorize and redirectUri here, or another grant; see docs/auth.md.");
  const { loopbackLogin } = await import("../../node/loopback-login.ts");
  return loopbackLogin();
}

function isNode(): boolean {
  const { process, navigator } = globalThis as Platform;
  // Some workers look like Node, but can't look up names.
  return process?.versions?.node !== undefined && navigator?.userAgent !== "Cloudflare-Workers";
}
