import { expect, it } from "vitest";
import { describeMatrix } from "../matrix/matrix.ts";

describeMatrix("errors", ({ open }) => {
  it("of the protocol pass as they were thrown", async () => {
    const { client, wire } = await open();
    await expect(client.tools.call("refuse")).rejects.toMatchObject({
      code: "rpc",
      wireCode: -32050,
      message: "Closed on Sundays",
      data: { opens: "Monday" },
    });
    expect(wire.error("tools/call")).toEqual({
      code: -32050,
      message: "Closed on Sundays",
      data: { opens: "Monday" },
    });
  });

  it("answer a method that nobody knows", async () => {
    const { client, wire } = await open();
    await expect(client.request("example/unknown")).rejects.toMatchObject({ wireCode: -32601 });
    expect(wire.error("example/unknown")).toEqual({
      code: -32601,
      message: "Method not found: example/unknown",
    });
  });
});
