// The short answer: every feature in every revision, in this process and without a build.
import { defineConfig } from "vitest/config";
import { alias } from "./vitest.config.ts";

// Features that need no socket, no process and no key.
const features = [
  "access",
  "cancellation",
  "completion",
  "elicitation",
  "errors",
  "lib",
  "lifecycle",
  "logging",
  "message",
  "methods",
  "middleware",
  "mounts",
  "multi-round-trip",
  "negotiation",
  "pagination",
  "progress",
  "prompts",
  "requests",
  "resources",
  "roots",
  "sampling",
  "schema",
  "sealed-state",
  "state",
  "subscriptions",
  "tasks",
  "tools",
  "trust",
  "uri-template",
];

export default defineConfig({
  resolve: { alias },
  test: {
    name: "quick",
    include: ["test/layers.test.ts", `test/{${features.join(",")}}/**/*.test.ts`],
    exclude: [
      "test/**/*.{abuse,fuzz,matrix,process,load}.test.ts",
      "test/**/http-*.test.ts",
      // The contract of a state once more: of broken ones, and through a scope.
      "test/state/{contract-finds,scoped-state,sqlite-contract}.test.ts",
      // They wait for locks and stores.
      "test/lib/file-lock.test.ts",
      "test/state/{full-store,store-away,store-down,durability-warnings,retention}.test.ts",
      // They need a store, or a newer Node.
      "test/state/{nats,postgres,redis,sqlite,workers}/**",
    ],
    setupFiles: ["test/setup/leftovers.ts", "test/setup/wire-schema.ts"],
    testTimeout: 20_000,
    maxWorkers: 2,
    // Loading the sources anew for each file would take longer than all of the tests.
    isolate: false,
    bail: 1,
  },
});
