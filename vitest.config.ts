import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const source = (path: string) => fileURLToPath(new URL(`./src/${path}`, import.meta.url));

// In-process tests run the sources; child processes and test/package run what was built from them.
const alias = [
  { find: /^#platform$/, replacement: source("platform/node.ts") },
  { find: /^allspeak$/, replacement: source("index.ts") },
  { find: /^allspeak\/auth$/, replacement: source("auth.ts") },
  { find: /^allspeak\/auth\/dev$/, replacement: source("auth-dev.ts") },
  { find: /^allspeak\/client$/, replacement: source("client.ts") },
  { find: /^allspeak\/http$/, replacement: source("http.ts") },
  { find: /^allspeak\/node$/, replacement: source("node.ts") },
  { find: /^allspeak\/tasks$/, replacement: source("tasks.ts") },
];

const built = [
  "test/{conformance,docs,examples,interop,package,types}/**/*.test.ts",
  "test/**/*.{e2e,matrix,process,load}.test.ts",
];

export default defineConfig({
  resolve: { alias },
  test: {
    testTimeout: 20_000,
    hookTimeout: 20_000,
    setupFiles: ["test/setup/leftovers.ts"],
    projects: [
      {
        extends: true,
        test: {
          name: "source",
          include: ["test/**/*.test.ts"],
          exclude: built,
          sequence: { groupOrder: 0 },
        },
      },
      {
        // These start processes of their own, so one file at a time is enough for a small machine.
        extends: true,
        test: {
          name: "built",
          include: built,
          globalSetup: ["test/setup/build.ts"],
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
