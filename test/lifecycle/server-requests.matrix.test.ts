// The way back: what a handler asks of the client, and the answer, cross every transport.
import type { ConnectOptions } from "allspeak/client";
import { expect, it } from "vitest";
import { describeMatrix } from "../matrix/matrix.ts";
import { readJson, readText } from "../matrix/read-text.ts";

const connect: ConnectOptions = {
  elicit: () => ({ action: "accept", content: { seats: 4 } }),
  sample: ({ messages }) => {
    const content = messages[0]?.content;
    const [first] = Array.isArray(content) ? content : [content];
    const text = first && "text" in first ? first.text : "?";
    return { role: "assistant", model: "echo", content: { type: "text", text: `<${text}>` } };
  },
  roots: ["file:///work", { uri: "file:///home", name: "Home" }],
};

describeMatrix(
  "a request of the server",
  ({ open, revision, since, cantAsk }) => {
    it("asks the user", async () => {
      const { client, wire } = await open();
      const result = await client.tools.call("ask-form");
      const canAsk = since({ "2024-11-05": false, "2025-06-18": true });
      expect(wire.told("elicitation/create")).toHaveLength(canAsk ? 1 : 0);
      if (!canAsk) return expect(readText(result)).toMatch(cantAsk);
      expect(readJson(result)).toEqual({ action: "accept", content: { seats: 4, name: "nobody" } });
    });

    it("asks the model", async () => {
      const { client, wire } = await open();
      expect(readText(await client.tools.call("ask-model"))).toBe("echo: <A poem>");
      expect(wire.told("sampling/createMessage")).toHaveLength(1);
    });

    it("asks for the roots, as they are then", async () => {
      const { client, wire } = await open();
      const asked = async () => readJson(await client.tools.call("ask-roots"));
      expect(await asked()).toEqual([{ uri: "file:///work" }, { uri: "file:///home", name: "Home" }]);
      await client.setRoots(["file:///elsewhere"]);
      expect(await asked()).toEqual([{ uri: "file:///elsewhere" }]);
      const told = wire.sent.filter(({ method }) => method === "notifications/roots/list_changed");
      expect(told).toHaveLength(since({ "2024-11-05": 1, "2026-07-28": 0 }));
    });

    it("asks by an unfinished result, which is answered and sent again", async () => {
      const { client, wire } = await open();
      const call = client.tools.call("ask-rounds");
      if (revision !== "2026-07-28") return expect(call).rejects.toMatchObject({ wireCode: -32603 });
      expect(readText(await call)).toBe("4 seats, round one");
      const [first, second] = wire.sent.filter(({ method }) => method === "tools/call");
      expect(first?.params).not.toHaveProperty("inputResponses");
      expect(second?.params).toMatchObject({
        requestState: expect.any(String),
        inputResponses: { booking: { action: "accept", content: { seats: 4 } } },
      });
      expect(second?.id).not.toBe(first?.id);
    });
  },
  { connect },
);

describeMatrix(
  "several requests of the server in one call",
  ({ name: place, open, since }) => {
    it("are answered in turns", async () => {
      const { client, wire } = await open();
      expect(readText(await client.tools.call("ask-in-turns"))).toBe("<first>, then <after <first>>");
      const sent = wire.sent.filter(({ method }) => method === "tools/call");
      expect(sent).toHaveLength(since({ "2024-11-05": 1, "2026-07-28": 3 }));
      expect(new Set(sent.map(({ id }) => id)).size).toBe(sent.length);
    });

    it("leave done what is done once", async () => {
      const { client } = await open();
      const name = `${place} in a matrix`;
      expect(readText(await client.tools.call("do-then-ask", { name }))).toBe("1 <first> 1 <second>");
      // Another call is another once.
      expect(readText(await client.tools.call("do-then-ask", { name }))).toBe("2 <first> 2 <second>");
    });
  },
  { fixture: "straight-line", connect },
);
