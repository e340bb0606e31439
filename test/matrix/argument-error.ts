import { expect } from "vitest";
import type { Opened, Place } from "./place.ts";
import { readText } from "./read-text.ts";

/** How a call was refused because of its arguments, wherever the revision says so. */
export async function refusal(
  { client }: Opened,
  { since }: Place,
  name: string,
  args: object,
): Promise<string> {
  const call = client.tools.call(name, { ...args });
  if (since({ "2024-11-05": true, "2025-11-25": false })) {
    const error = await call.then(
      () => undefined,
      (thrown: { wireCode: number; message: string; data: unknown }) => thrown,
    );
    expect(error).toMatchObject({ wireCode: -32602, data: { issues: expect.any(Array) } });
    return error?.message ?? "";
  }
  const result = await call;
  expect(result.isError).toBe(true);
  return readText(result);
}
