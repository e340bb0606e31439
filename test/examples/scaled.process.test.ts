import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { connect } from "node:net";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";

const root = new URL("../../", import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), "utf8");
const program = fileURLToPath(new URL("build/examples/scaled/main.js", root));

const hasRedis = await new Promise<boolean>((resolve) => {
  const socket = connect(6379, "127.0.0.1");
  socket.on("connect", () => resolve(true)).on("error", () => resolve(false));
  socket.on("connect", () => socket.destroy());
});
if (!hasRedis) console.error("examples/scaled is skipped: nothing listens at 127.0.0.1:6379 (Redis).");

it.skipIf(!hasRedis)("the example of two nodes and Redis does what it says", async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [program]);
  for (const revision of ["2025-11-25", "2026-07-28"])
    for (const what of ["both nodes answered", "a question was answered", "a change on one node"])
      expect(stdout).toContain(`${revision}: ${what}`);
  expect(stdout).toContain("Both nodes have drained and ended.");
});

interface Container {
  readonly command: readonly string[];
  readonly names: readonly string[];
}

describe("the files for three nodes", () => {
  // One of the tools brings it; it is not worth a dependency of its own.
  const { parseAllDocuments } = createRequire(import.meta.url)("yaml") as {
    parseAllDocuments(text: string): { errors: unknown[]; toJS(): Record<string, never> }[];
  };
  const load = (path: string) => {
    const documents = parseAllDocuments(read(path));
    expect(documents.flatMap(({ errors }) => errors)).toEqual([]);
    return documents.map((document) => document.toJS());
  };

  function check({ command, names }: Container): void {
    expect(command[0]).toBe("node");
    const source = command[1]?.replace(/^build\//, "").replace(/\.js$/, ".ts") ?? "";
    const text = read(source);
    for (const name of names) expect(text).toContain(name);
    expect(names).toContain("REDIS_URL");
  }

  it("of compose start the real entry with the settings that it reads", () => {
    const [file] = load("deploy/compose.yaml") as unknown as [
      { services: Record<string, { command: string[]; environment: object; deploy: { replicas: number } }> },
    ];
    const { node, redis } = file.services;
    expect(node?.deploy.replicas).toBe(3);
    check({ command: node?.command ?? [], names: Object.keys(node?.environment ?? {}) });
    expect(redis?.command).toContain("noeviction");
    expect(read("deploy/nginx.conf")).toContain("http://node:3000");
  });

  it("of Kubernetes start the real entry with the settings that it reads", () => {
    interface Pod {
      readonly kind: string;
      readonly spec: {
        readonly replicas: number;
        readonly template: { spec: { containers: { command: string[]; env: { name: string }[] }[] } };
      };
    }
    const documents = load("deploy/kubernetes.yaml") as unknown as Pod[];
    expect(documents.map(({ kind }) => kind)).toEqual(["Deployment", "Service", "StatefulSet", "Service"]);
    const [deployment] = documents;
    expect(deployment?.spec.replicas).toBe(3);
    const [container] = deployment?.spec.template.spec.containers ?? [];
    check({ command: container?.command ?? [], names: container?.env.map(({ name }) => name) ?? [] });
  });
});
