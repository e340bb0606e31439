import { expect, it, onTestFinished, vi } from "vitest";
import { connect } from "../../../src/client.ts";
import { createServer, tool } from "../../../src/index.ts";
import { serveHttp } from "../../../src/node.ts";

it.each(["2025-11-25", "2026-07-28"] as const)(
  "a call over HTTP makes no abort controller on either side, in %s",
  async (revision) => {
    const echo = tool("echo", {}, () => "x");
    const { url, close } = await serveHttp(createServer({ name: "echo", version: "1.0.0", tools: [echo] }), {
      port: 0,
    });
    onTestFinished(() => close());
    const client = await connect(url, { revisions: [revision] });
    onTestFinished(() => client.close());
    await client.tools.call("echo");

    let made = 0;
    vi.stubGlobal(
      "AbortController",
      class extends AbortController {
        constructor() {
          super();
          made++;
        }
      },
    );
    onTestFinished(() => void vi.unstubAllGlobals());
    for (let call = 0; call < 5; call++) await client.tools.call("echo");

    expect(made).toBe(0);
  },
);
