import { describe, expect, test } from "vitest";
import { KeyedMutex, Mutex } from "../../../src/lib/async/mutex.ts";
import { nextTurn } from "../../../src/lib/async/yield-turn.ts";

describe("a mutex", () => {
  test("lets work begin when the work before it has ended", async () => {
    const mutex = new Mutex();
    const steps: string[] = [];
    const first = mutex.run(async () => {
      steps.push("first begins");
      await nextTurn();
      steps.push("first ends");
      return 1;
    });
    const second = mutex.run(() => {
      steps.push("second begins");
      return 2;
    });
    expect(await Promise.all([first, second])).toEqual([1, 2]);
    expect(steps).toEqual(["first begins", "first ends", "second begins"]);
  });

  test("tells a failure to its caller, and goes on", async () => {
    const mutex = new Mutex();
    const failed = mutex.run(() => Promise.reject(new Error("no")));
    const next = mutex.run(() => "yes");
    await expect(failed).rejects.toThrow("no");
    expect(await next).toBe("yes");
  });

  test("is idle when all that was begun has ended, well or not", async () => {
    const mutex = new Mutex();
    const ended: string[] = [];
    const failed = mutex.run(async () => {
      ended.push("work");
      throw new Error("no");
    });
    await mutex.idle();
    expect(ended).toEqual(["work"]);
    await expect(failed).rejects.toThrow("no");
  });
});

describe("a mutex by key", () => {
  test("lets work that is given while other work begins wait for it", async () => {
    const mutex = new KeyedMutex();
    const steps: string[] = [];
    let second = Promise.resolve();
    await mutex.run("a", async () => {
      second = mutex.run("a", async () => void steps.push("second"));
      await nextTurn();
      steps.push("first");
    });
    await second;
    expect(steps).toEqual(["first", "second"]);
  });

  test("lets the work of other keys go on at the same time", async () => {
    const mutex = new KeyedMutex();
    let release = () => {};
    const slow = mutex.run(
      "a",
      () =>
        new Promise<string>((resolve) => {
          release = () => resolve("slow");
        }),
    );
    const behind = mutex.run("a", async () => "behind");
    expect(await mutex.run("b", async () => "beside")).toBe("beside");
    release();
    expect(await Promise.all([slow, behind])).toEqual(["slow", "behind"]);
  });
});
