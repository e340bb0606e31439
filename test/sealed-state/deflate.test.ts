import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { createDeflateRaw } from "node:zlib";
import { describe, expect, test } from "vitest";
import { deflate, inflate } from "../../src/seal/deflate.ts";

describe("deflate", () => {
  test("makes repetitive bytes small, and inflate gives them back", async () => {
    const bytes = new TextEncoder().encode("again and ".repeat(1000));
    const small = await deflate(bytes);
    expect(small.length).toBeLessThan(200);
    expect(await inflate(small, bytes.length)).toEqual(bytes);
  });

  test("what is empty stays empty", async () => {
    expect(await inflate(await deflate(new Uint8Array()), 0)).toEqual(new Uint8Array());
  });

  test("inflate stops at one byte too many", async () => {
    const small = await deflate(new Uint8Array(1001));
    await expect(inflate(small, 1000)).rejects.toThrow(RangeError);
  });

  test("a bomb costs no more memory than is allowed", async () => {
    const zeros = Array<Uint8Array>(256).fill(new Uint8Array(1024 ** 2));
    const bomb = new Uint8Array(await buffer(Readable.from(zeros).pipe(createDeflateRaw())));
    const before = process.memoryUsage().arrayBuffers;
    await expect(inflate(bomb, 1024 ** 2)).rejects.toThrow(RangeError);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(64 * 1024 ** 2);
  });

  test("bytes that nobody deflated are refused", async () => {
    await expect(inflate(new Uint8Array(100).fill(255), 1000)).rejects.toThrow();
    const cut = (await deflate(new Uint8Array(5000).map((_, at) => at * at))).subarray(0, 50);
    await expect(inflate(cut, 10_000)).rejects.toThrow();
  });
});
