// Fails a test in which our client or server sent a message that the schema of its revision does not allow.
import { afterEach, expect } from "vitest";
import { takeViolations } from "../support/wire-schema/wire-check.ts";

afterEach(() => {
  expect(takeViolations(), "messages that the schema of the specification does not allow").toEqual([]);
});
