import { bearer, type VerifyToken } from "allspeak/auth";
import { describe, expect, it } from "vitest";
import { bear, principalIn, protect, publicUrl } from "../../../support/auth/protected-server.ts";

const now = () => Math.floor(Date.now() / 1000);
const open = (verify: VerifyToken, issuer?: string) =>
  protect({ auth: bearer({ verify, ...(issuer && { issuer }) }) });

describe("a function that verifies tokens", () => {
  it("says who calls", async () => {
    const { call } = open((token, { audience }) =>
      token === "secret" ? { sub: "ci", aud: audience } : undefined,
    );
    expect(principalIn(await call(bear("secret")))).toEqual({
      issuer: publicUrl,
      subject: "ci",
      scopes: [],
      claims: { sub: "ci", aud: [publicUrl, "https://mcp.example.com/sse"] },
    });
    const { status, challenge } = await call(bear("other"));
    expect([status, challenge]).toEqual([401, expect.stringContaining('error="invalid_token"')]);
  });

  it("sees the request", async () => {
    const { call } = open((_, { request, audience }) => ({
      sub: `${request.method} ${request.path} ${request.header("mcp-method")}`,
      aud: audience,
    }));
    expect(principalIn(await call(bear("x"))).subject).toBe("POST /mcp tools/call");
  });

  it.each([
    ["no audience", { sub: "a" }],
    ["another audience", { sub: "a", aud: "https://other.example" }],
    ["no subject", { aud: publicUrl }],
    ["an end in the past", { sub: "a", aud: publicUrl, exp: now() - 60 }],
    ["a beginning in the future", { sub: "a", aud: publicUrl, nbf: now() + 60 }],
    ["an end that is no time", { sub: "a", aud: publicUrl, exp: "later" as unknown as number }],
    ["another issuer", { sub: "a", aud: publicUrl, iss: "https://evil.example" }],
  ])("is not believed when what it says has %s", async (_, claims) => {
    const { call, entered } = open(() => claims, "https://login.example.com");
    expect((await call(bear("x"))).status).toBe(401);
    expect(entered()).toBe(0);
  });

  it("that fails lets no caller in and does not reveal the reason", async () => {
    const { call, entered, reports } = open(() => {
      throw new Error("secret: hunter2");
    });
    const { status, body } = await call(bear("x"));
    expect([status, body.error.message]).toEqual([500, "Internal error"]);
    expect([entered(), reports.length]).toEqual([0, 1]);
  });
});
