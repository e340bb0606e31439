import { afterEach } from "vitest";
import { type DevAuth, type DevAuthOptions, serveDevAuth } from "../../../src/auth-dev.ts";

const running: DevAuth[] = [];

afterEach(async () => {
  await Promise.all(running.splice(0).map((auth) => auth.close()));
});

/** An issuer that approves by itself and is closed after the test. */
export async function serve(options: DevAuthOptions = {}): Promise<DevAuth> {
  const auth = await serveDevAuth({
    autoApprove: true,
    scopes: ["read", "write"],
    log: () => {},
    ...options,
  });
  running.push(auth);
  return auth;
}
