import { describe, expect, test } from "vitest";
import { connectV2, pin } from "./official-v2-client.ts";
import { describeOurServer } from "./our-server/suite.ts";

describeOurServer(
  "the official SDK v2 client",
  ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"],
  (revision) => connectV2(pin(revision)),
);

describe("the official SDK v2 client left to itself", () => {
  test("opens by a handshake unless it is told to probe", async () => {
    const { client } = await connectV2({});
    expect(client.getNegotiatedProtocolVersion()).toBe("2025-11-25");
    expect(client.getDiscoverResult()).toBeUndefined();
    await client.close();
  });

  test("finds the newest revision when it probes", async () => {
    const { client } = await connectV2({ versionNegotiation: { mode: "auto" } });
    expect(client.getNegotiatedProtocolVersion()).toBe("2026-07-28");
    expect(client.getDiscoverResult()).toMatchObject({
      supportedVersions: ["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"],
      instructions: "Call anything.",
    });
    await client.close();
  });
});
