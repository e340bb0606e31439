import { expect, it } from "vitest";
import { describeMatrix } from "../matrix/matrix.ts";

describeMatrix("capabilities", ({ open }) => {
  it("that a client requires and the server lacks end the connection with a typed error", async () => {
    await expect(open({ requires: ["tools", "extensions.example.com/x"] })).rejects.toMatchObject({
      code: "capability-missing",
      capability: "extensions.example.com/x",
      lackedBy: "server",
    });
  });
});

describeMatrix(
  "capabilities that a server requires",
  ({ open }) => {
    it("keep others out, and name what they lack", async () => {
      const opening = open({});
      await expect(opening).rejects.toMatchObject({
        code: "capability-missing",
        capability: "sampling",
        lackedBy: "client",
      });
    });
  },
  { fixture: "demanding" },
);
