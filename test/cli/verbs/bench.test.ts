import { expect, test } from "vitest";
import { runCommand } from "../support/run-command.ts";

test("allspeak bench counts calls and shows percentiles and a histogram", async () => {
  const { code, stdout } = await runCommand([
    "bench",
    "./shop.mjs",
    "sum",
    "a=1",
    "b=2",
    "-n",
    "40",
    "-c",
    "4",
  ]);
  expect(stdout).toMatch(
    /^40 calls in [\d.]+ s: \d+ per second\np50 [\d.]+ ms, p90 [\d.]+ ms, p99 [\d.]+ ms, max [\d.]+ ms\n/,
  );
  expect(stdout).toMatch(/≤ +[\d.]+ ms █/);
  expect(code).toBe(0);
});

test("allspeak bench counts failed calls, and ends with 1", async () => {
  const { code, stdout } = await runCommand([
    "bench",
    "everything",
    "test_error_handling",
    "-n",
    "3",
    "--json",
  ]);
  expect([code, JSON.parse(stdout)]).toMatchObject([
    1,
    { calls: 3, failed: 3, problems: [{ problem: expect.stringContaining("intentionally"), calls: 3 }] },
  ]);
});

test("allspeak bench says why calls failed, and counts one call as one", async () => {
  const { code, stdout } = await runCommand(["bench", "everything", "test_error_handling", "-n", "1"]);
  expect(stdout).toMatch(/^1 call in /);
  expect(stdout).toContain("1 failed: This tool intentionally returns an error for testing");
  expect(code).toBe(1);
});
