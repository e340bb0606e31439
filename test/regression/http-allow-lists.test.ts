import { expect, it } from "vitest";
import { Site } from "../../src/guard/site.ts";
import { serveHttp } from "../../src/node.ts";
import { UsageError } from "../../src/protocol/errors.ts";
import { exchange } from "../http-server/support/exchange.ts";
import { createFixture } from "../http-server/support/fixture.ts";

it("an empty allow-list does not open a server to the network", async () => {
  await expect(serveHttp(createFixture().server, { host: "0.0.0.0", allowedHosts: [] })).rejects.toThrow(
    UsageError,
  );
});

it("a server on another address of this machine answers under that address", async () => {
  const running = await serveHttp(createFixture().server, { host: "127.0.0.2" });
  const url = `http://127.0.0.2:${running.port}/mcp`;
  expect((await exchange(url, { method: "OPTIONS" })).status).toBe(204);
  await running.close(0);
});

it("an origin is allowed however it is spelt, and what is no origin is refused at once", () => {
  const site = new Site({ allowedOrigins: ["https://App.example.com/"] });
  expect(site.allowsOrigin("https://app.example.com", "localhost")).toBe(true);
  for (const wrong of ["*", "null", "app.example.com", "file:///x"]) {
    expect(() => new Site({ allowedOrigins: [wrong] })).toThrow(UsageError);
  }
  for (const wrong of ["*", "https://example.com", "a b"]) {
    expect(() => new Site({ allowedHosts: [wrong] })).toThrow(UsageError);
  }
  expect(() => new Site({ publicUrl: "example.com" })).toThrow(UsageError);
});
