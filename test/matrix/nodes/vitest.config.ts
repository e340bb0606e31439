// The matrix at three nodes over SQLite, for a Node that has it: test/matrix/nodes/sqlite.process.test.ts runs it.
import { fileURLToPath } from "node:url";
import { configDefaults, defineConfig } from "vitest/config";
import { alias, atNodes, notAtNodes } from "../../../vitest.config.ts";

export default defineConfig({
  root: fileURLToPath(new URL("../../..", import.meta.url)),
  resolve: { alias },
  test: {
    testTimeout: 20_000,
    hookTimeout: 20_000,
    setupFiles: ["test/setup/leftovers.ts", "test/setup/wire-schema.ts"],
    include: atNodes,
    exclude: [...configDefaults.exclude, ...notAtNodes],
    provide: { stores: ["SQLite"] },
    maxWorkers: 1,
    isolate: false,
  },
});
