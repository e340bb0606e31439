import { bearer } from "allspeak/auth";
import { type ServeHttpOptions, serveHttp } from "allspeak/node";
import { describe, expect, it, onTestFinished } from "vitest";
import { openIssuer } from "../../support/auth/token-issuer.ts";
import { createFixture } from "../../support/http/fixture.ts";
import { callNewest } from "../../support/http/stateless-request.ts";

async function serve(options: ServeHttpOptions) {
  const running = await serveHttp(createFixture().server, options);
  onTestFinished(() => running.close(0));
  return running;
}

describe("serveHttp behind authorization", () => {
  it("on this machine takes tokens for the URL that it has", async () => {
    const issuer = await openIssuer();
    const { url } = await serve({ auth: bearer({ issuer: issuer.url }) });
    const metadata = await fetch(new URL("/.well-known/oauth-protected-resource/mcp", url));
    expect(await metadata.json()).toMatchObject({ resource: url });
    const call = async (audience: string, host?: string) => {
      const authorization = `Bearer ${await issuer.mint(audience)}`;
      return (await callNewest(url, "echo", { text: "x" }, { headers: { authorization, host } })).status;
    };
    expect(await call(url)).toBe(200);
    // Whatever name the request gives the server: the token of another one must not fit.
    expect(await call("http://localhost:1/mcp", "localhost:1")).toBe(401);
  });

  it("may listen on other addresses", async () => {
    const issuer = "https://login.example.com";
    const publicUrl = "https://mcp.example.com/mcp";
    for (const options of [
      { auth: bearer({ issuer }), publicUrl },
      { auth: bearer({ issuer, audience: publicUrl }), allowedHosts: ["mcp.example.com"] },
    ]) {
      const { port } = await serve({ host: "0.0.0.0", ...options });
      const answer = await callNewest(`http://127.0.0.1:${port}/mcp`, "echo", { text: "x" });
      expect(answer.headers["www-authenticate"]).toContain("https://mcp.example.com/.well-known/");
    }
  });

  it("says what it must know, and leaves the port to others", async () => {
    const auth = bearer({ issuer: "https://login.example.com" });
    const { port, close } = await serve({});
    await close(0);
    await expect(serve({ host: "0.0.0.0", port, auth })).rejects.toThrow("publicUrl");
    const named = bearer({ issuer: "https://login.example.com", audience: "https://mcp.example.com/mcp" });
    await expect(serve({ host: "0.0.0.0", port, auth: named })).rejects.toThrow("allowedHosts");
    await expect(serve({ port, auth, identify: () => undefined })).rejects.toThrow("identify");
    const again = await serve({ port, auth });
    await expect(serve({ port: again.port, auth })).rejects.toMatchObject({
      code: "usage",
      cause: { code: "EADDRINUSE" },
    });
  });
});
