import { expect, it } from "vitest";
import { createSessionId } from "../../../src/transports/http/server/session/session-id.ts";

it("a session id is 128 bits in visible ASCII", () => {
  expect(createSessionId()).toMatch(/^[0-9a-f]{32}$/);
  expect(createSessionId()).not.toBe(createSessionId());
});
