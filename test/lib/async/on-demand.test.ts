import { expect, it } from "vitest";
import { OnDemand } from "../../../src/lib/async/on-demand.ts";

it("loads a part once, with its first use", async () => {
  let loads = 0;
  const part = new OnDemand(async () => ++loads);
  expect(part.used).toBeUndefined();
  expect(await Promise.all([part.use((given) => given), part.use((given) => given)])).toEqual([1, 1]);
  expect(part.use((given) => given)).toBe(1);
});

it("loads a part again that could not be loaded", async () => {
  let loads = 0;
  const part = new OnDemand(async () => {
    if (loads++ === 0) throw new Error("Too many files are open.");
    return "part";
  });
  await expect(part.use((given) => given)).rejects.toThrow("Too many files");
  expect(part.used).toBeUndefined();
  expect(await part.use((given) => given)).toBe("part");
});

it("reports what an action throws for which nobody waits, at once or later", async () => {
  const part = new OnDemand(async () => "part");
  const fail = (given: string) => {
    throw new Error(`No ${given}`);
  };
  const later = await new Promise<Error>((resolve) => part.tryUse(fail, resolve));
  expect(later.message).toBe("No part");
  let problem: Error | undefined;
  part.tryUse(fail, (error) => {
    problem = error;
  });
  expect(problem?.message).toBe("No part");
});
