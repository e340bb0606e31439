import type { Progress } from "allspeak/client";
import { expect, it } from "vitest";
import { describeMatrix } from "../matrix/matrix.ts";

describeMatrix("progress", ({ open, since }) => {
  it("reaches the caller while the call runs, growing, with a message where the revision has one", async () => {
    const { client } = await open();
    const seen: Progress[] = [];
    await client.tools.call("steps", {}, { onProgress: (progress) => seen.push(progress) });
    expect(seen).toEqual(
      since({
        "2024-11-05": [
          { progress: 1, total: 3 },
          { progress: 2.5, total: 3 },
          { progress: 3, total: 3 },
        ],
        "2025-03-26": [
          { progress: 1, total: 3, message: "one" },
          { progress: 2.5, total: 3, message: "nearly" },
          { progress: 3, total: 3, message: "done" },
        ],
      }),
    );
  });

  it("of calls at the same time reaches each caller its own", async () => {
    const { client } = await open();
    const counts = [0, 0, 0];
    await Promise.all(
      counts.map((_, index) =>
        client.tools.call("steps", {}, { onProgress: () => (counts[index] = (counts[index] ?? 0) + 1) }),
      ),
    );
    expect(counts).toEqual([3, 3, 3]);
  });
});
