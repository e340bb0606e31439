// The tests of SQLite, for a Node that has it: test/state/sqlite.process.test.ts runs them.
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { alias } from "../../../vitest.config.ts";

export default defineConfig({
  root: fileURLToPath(new URL("../../..", import.meta.url)),
  resolve: { alias },
  test: {
    testTimeout: 20_000,
    hookTimeout: 20_000,
    setupFiles: ["test/setup/leftovers.ts"],
    include: ["test/state/sqlite/*.test.ts"],
    maxWorkers: 1,
    isolate: false,
    // As in the project `fuzz` of vitest.config.ts.
    provide: process.env.ALLSPEAK_FUZZ === "whole" ? { fuzz: "whole" } : {},
  },
});
