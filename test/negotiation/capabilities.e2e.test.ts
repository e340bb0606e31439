import { expect, it } from "vitest";
import { describeRevisions } from "../matrix/revisions.ts";
import { allowViolations } from "../support/wire-schema/wire-check.ts";

describeRevisions("capabilities", ({ open, since }) => {
  it("follow from what is registered", async () => {
    const { client } = await open();
    const capabilities = {
      tools: { listChanged: true },
      resources: { listChanged: true, subscribe: true },
      prompts: { listChanged: true },
      logging: {},
      experimental: { "example.com/trial": { level: 2 } },
    };
    expect(client.server.capabilities).toEqual(
      since<object>({ "2024-11-05": capabilities, "2025-03-26": { ...capabilities, completions: {} } }),
    );
  });

  it("of the client follow from its handlers, as far as the revision goes", async () => {
    const { wire } = await open({
      elicit: () => ({ action: "cancel" }),
      sample: () => ({ role: "assistant", content: { type: "text", text: "" }, model: "m" }),
      roots: [],
      requires: ["tools", "resources.subscribe", "experimental.example.com/trial"],
      capabilities: { experimental: { "example.com/trial": {} } },
    });
    const [first] = wire.sent;
    const params = first?.params as { capabilities?: object; _meta?: Record<string, unknown> };
    const declared = params.capabilities ?? params._meta?.["io.modelcontextprotocol/clientCapabilities"];
    const common = { sampling: {}, experimental: { "example.com/trial": {} } };
    expect(declared).toEqual(
      since<object>({
        "2024-11-05": { ...common, roots: { listChanged: true } },
        "2025-06-18": { ...common, roots: { listChanged: true }, elicitation: {} },
        "2025-11-25": { ...common, roots: { listChanged: true }, elicitation: { form: {}, url: {} } },
        "2026-07-28": { ...common, roots: {}, elicitation: { form: {}, url: {} } },
      }),
    );
  });
});

describeRevisions(
  "capabilities that a server lacks",
  ({ open, since }) => {
    it("are not declared", async () => {
      const { client } = await open();
      expect(client.server.capabilities).toEqual({ tools: { listChanged: true } });
    });

    it("are typed errors of the client, and nothing is sent", async () => {
      const { client, wire } = await open();
      const lacking = (capability: string) => ({
        code: "capability-missing",
        capability,
        lackedBy: "server",
      });
      await expect(client.resources.read("a:b")).rejects.toMatchObject(lacking("resources"));
      await expect(client.prompts.list().all()).rejects.toMatchObject(lacking("prompts"));
      await expect(client.setLogLevel("info")).rejects.toMatchObject(lacking("logging"));
      await expect(client.subscribe({ resources: ["a:b"] })).rejects.toMatchObject(
        lacking("resources.subscribe"),
      );
      expect(wire.sent).toEqual([]);
    });

    it("are unknown methods to a client that asks all the same", async () => {
      const { client } = await open();
      // Middleware stands behind the client's own check, so it can send what the client would not.
      const methods = ["resources/list", "prompts/get", "logging/setLevel"];
      const codes: unknown[] = [];
      client.use((call, next) => next({ ...call, method: methods[codes.length] ?? call.method }));
      for (const _ of methods) {
        const error = await client.request("tools/list").catch((thrown: { wireCode: number }) => thrown);
        codes.push((error as { wireCode?: number }).wireCode);
      }
      expect(codes).toEqual([-32601, -32601, -32601]);
      allowViolations("the client asks without the params of the method", /what the client sent/);
    });

    it("to complete are known only by asking in the revision that does not declare them", async () => {
      const { client } = await open();
      const completing = client.complete({ type: "ref/prompt", name: "x" }, { name: "a", value: "" });
      await expect(completing).rejects.toMatchObject(
        since<object>({
          "2024-11-05": { code: "rpc" },
          "2025-03-26": { code: "capability-missing", capability: "completions" },
        }),
      );
    });
  },
  { fixture: "bare" },
);

describeRevisions(
  "capabilities that a server requires",
  ({ open }) => {
    it("let a client in that has them", async () => {
      const { client } = await open({
        sample: () => ({ role: "assistant", content: { type: "text", text: "" }, model: "m" }),
      });
      expect((await client.tools.call("ping")).content).toEqual([{ type: "text", text: "pong" }]);
    });
  },
  { fixture: "demanding" },
);
