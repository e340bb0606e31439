import { expect, it, vi } from "vitest";
import { bear, openProtected, publicUrl } from "../../../support/auth/protected-server.ts";

it.each(["/jwks", "/.well-known/oauth-authorization-server"])(
  "a document at %s that is too large to be one is not read to its end",
  async (path) => {
    const { issuer, call } = await openProtected();
    let sent = 0;
    issuer.answers.set(path, (_, response) => {
      response.writeHead(200, { "content-type": "application/json" });
      const chunk = " ".repeat(64 * 1024);
      const write = () => {
        while (sent < 64 * 1024 * 1024 && !response.destroyed) {
          sent += chunk.length;
          if (!response.write(chunk)) return response.once("drain", write);
        }
        return response.end();
      };
      write();
    });
    expect((await call(bear(await issuer.mint(publicUrl)))).status).toBe(503);
    expect(sent).toBeLessThan(32 * 1024 * 1024);
  },
);

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
