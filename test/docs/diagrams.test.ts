import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

const folder = new URL("../../docs/diagrams/", import.meta.url);
const read = (name: string) => readFileSync(new URL(name, folder), "utf8");
const sources = readdirSync(folder).filter((name) => name.endsWith(".mmd"));

describe("the diagrams", () => {
  it.each(sources)("%s is drawn as it is; else run: node scripts/diagrams.js", (name) => {
    const hash = createHash("sha256").update(read(name)).digest("hex").slice(0, 16);
    expect(read(name.replace(".mmd", ".svg"))).toContain(`${name}, ${hash}`);
  });

  it("are three at least", () => {
    expect(sources.length).toBeGreaterThanOrEqual(3);
  });
});
