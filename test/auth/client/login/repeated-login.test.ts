import { expect, it } from "vitest";
import { connectWithOAuth } from "../../../support/auth/connect-with-oauth.ts";
import { startFakeOAuthServer } from "../../../support/auth/fake-oauth-server.ts";
import { Queue } from "../../../support/queue.ts";

it("a lost session whose user does not log in again causes at most two logins", async () => {
  const world = await startFakeOAuthServer();
  const problems = new Queue<Error>();
  let windows = 0;
  const authorize = (url: URL) => {
    if (++windows === 1) return world.authorize(url);
    return Promise.reject(new Error("The window was closed."));
  };
  const client = await connectWithOAuth(
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
  expect(await problems.next()).toMatchObject(told);
  expect(windows).toBeLessThanOrEqual(3);
});
