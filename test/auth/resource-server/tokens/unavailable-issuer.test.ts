import { expect, it, vi } from "vitest";
import { bear, openProtected, publicUrl } from "../../../support/auth/protected-server.ts";

it("requests that cannot be checked while the issuer is unavailable do not fill the log", async () => {
  const { issuer, call, reports } = await openProtected();
  issuer.answers.set("/jwks", (_, response) => response.writeHead(500).end());
  const token = await issuer.mint(publicUrl);
  for (let time = 0; time < 5; time++) expect((await call(bear(token))).status).toBe(503);
  expect(reports).toHaveLength(1);
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 10_001 });
  try {
    expect((await call(bear(token))).status).toBe(503);
  } finally {
    vi.useRealTimers();
  }
  expect(reports).toHaveLength(2);
});
