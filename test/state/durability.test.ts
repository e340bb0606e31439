import { memoryState } from "allspeak/http";
import { describe, expect, it } from "vitest";
import { durabilityLevels, toDurability } from "../../src/state/durability.ts";

const problems = ['appendfsync is "everysec"; set it to "always".'];

describe("the durability of a store", () => {
  it("is without warnings where it is as strong as asked", () => {
    for (const [at, level] of durabilityLevels.entries())
      for (const asked of durabilityLevels.slice(0, at + 1))
        expect(toDurability({ level, asked, problems })).toEqual({ level, warnings: [] });
  });

  it("warns of each setting that makes it weaker than asked, and says what to do", () => {
    const { level, warnings } = toDurability({ level: "store-crash", asked: "power-loss", problems });
    expect(level).toBe("store-crash");
    expect(warnings).toHaveLength(1);
    for (const part of ["store-crash", "power-loss", 'set it to "always"'])
      expect(warnings[0]).toContain(part);
  });

  it("is expected to outlive a crash of the store, if nothing is asked", () => {
    expect(toDurability({ level: "store-crash", problems }).warnings).toEqual([]);
    expect(toDurability({ level: "node-crash", problems: [] }).warnings).toHaveLength(1);
  });

  it("is none in memory, where nobody expects more", () => {
    expect(memoryState().durability()).toEqual({ level: "none", warnings: [] });
  });
});
