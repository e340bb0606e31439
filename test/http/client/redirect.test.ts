import { describe, expect, test } from "vitest";
import { HttpError } from "../../../src/errors.ts";
import { openHttp } from "../../support/http/open-http.ts";
import { aloneScript, ScriptedHttp, sessionScript } from "../../support/http/scripted-http.ts";
import { failure } from "../../support/open-client.ts";

describe("a redirect", () => {
  test.each([307, 308])(
    "within the origin is followed with method, headers and body (%i)",
    async (status) => {
      const script = sessionScript("2025-11-25");
      const server = await ScriptedHttp.start((visit) =>
        visit.path === "/mcp" ? visit.send(status, "", { location: "/mcp/" }) : script(visit),
      );
      const { client } = await openHttp(server, { headers: { authorization: "Bearer token" } });
      await client.ping();
      await client.close();
      const arrived = server.visits.filter(({ path }) => path === "/mcp/");
      expect(arrived.map(({ what }) => what).sort()).toEqual([
        "DELETE",
        "GET",
        "initialize",
        "notifications/initialized",
        "ping",
        "server/discover",
      ]);
      for (const { headers } of arrived) expect(headers.authorization).toBe("Bearer token");
    },
  );

  test.each([301, 302, 303, 307, 308])(
    "to another origin is not followed, and says where it leads (%i)",
    async (status) => {
      const other = await ScriptedHttp.start(aloneScript());
      const location = `${other.url}?stolen=1`;
      const server = await ScriptedHttp.start((visit) => visit.send(status, "", { location }));
      const error = await failure(openHttp(server, { headers: { authorization: "Bearer token" } }));
      expect(error).toBeInstanceOf(HttpError);
      expect(error).toMatchObject({ status, headers: { location } });
      expect(error.message).toContain(other.origin);
      expect(other.visits).toEqual([]);
    },
  );

  test.each([
    ["http://user:pass@127.0.0.1/", "redirects to http://127.0.0.1/,"],
    ["javascript:alert(1)", "redirects to javascript:alert(1),"],
    ["data:,x", "redirects to data:,x,"],
    ["//127.0.0.2/mcp", "redirects to http://127.0.0.2/mcp,"],
    ["http://[", "redirects without a valid location."],
    ["", "redirects without a valid location."],
  ])("to %j is not followed, and is named without credentials", async (location, words) => {
    const server = await ScriptedHttp.start((visit) => visit.send(307, "", { location }));
    const error = await failure(openHttp(server, { revisions: ["2026-07-28"] }));
    expect(error).toBeInstanceOf(HttpError);
    expect(error.message).toContain(words);
    expect(server.visits.length).toBe(1);
  });

  test("that names no target is not followed", async () => {
    const server = await ScriptedHttp.start((visit) => visit.send(307));
    const error = await failure(openHttp(server, { revisions: ["2026-07-28"] }));
    expect(error.message).toContain("redirects without a valid location.");
    expect(server.visits.length).toBe(1);
  });

  test("that would turn a POST into something else is refused", async () => {
    const server = await ScriptedHttp.start((visit) => visit.send(302, "", { location: "/other" }));
    expect(await failure(openHttp(server))).toMatchObject({ code: "http", status: 302 });
    expect(new Set(server.visits.map(({ path }) => path))).toEqual(new Set(["/mcp"]));
  });

  test("after redirect ends after five", async () => {
    const server = await ScriptedHttp.start((visit) => visit.send(307, "", { location: "/mcp" }));
    const error = await failure(openHttp(server, { revisions: ["2026-07-28"] }));
    expect(error).toMatchObject({ code: "http", status: 307 });
    expect(server.visits.length).toBe(6);
  });
});
