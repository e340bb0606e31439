import { expect, it } from "vitest";
import { enter } from "../../support/auth/enter-world.ts";
import { openWorld } from "../../support/auth/oauth-world.ts";

it("a lost session whose user does not log in again asks for a login no more than twice", async () => {
  const world = await openWorld();
  const problems: Error[] = [];
  let windows = 0;
  const authorize = (url: URL) => {
    if (++windows === 1) return world.authorize(url);
    return Promise.reject(new Error("The window was closed."));
  };
  const client = await enter(
    world,
    { authorize },
    { revisions: ["2025-11-25"], onProblem: (problem) => problems.push(problem) },
  );
  world.endAccessTokens();
  world.refreshTokens.clear();
  world.options.intercept = ({ path, headers }, response) => {
    if (path !== "/mcp" || headers["mcp-session-id"] === undefined) return undefined;
    response.writeHead(404).end();
    return true;
  };
  const told = { code: "authorization", reason: "login" };
  await expect(client.tools.call("echo", {})).rejects.toMatchObject(told);
  await expect.poll(() => problems, { timeout: 10_000 }).toContainEqual(expect.objectContaining(told));
  expect(windows).toBeLessThanOrEqual(3);
});
