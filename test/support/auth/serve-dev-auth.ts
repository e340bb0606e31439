import { onTestFinished } from "vitest";
import { type DevAuth, type DevAuthOptions, serveDevAuth } from "../../../src/auth-dev.ts";

/** An issuer that approves by itself and is closed after the test. */
export async function serve(options: DevAuthOptions = {}): Promise<DevAuth> {
  const auth = await serveDevAuth({
    autoApprove: true,
    scopes: ["read", "write"],
    log: () => {},
    ...options,
  });
  onTestFinished(() => auth.close());
  return auth;
}
