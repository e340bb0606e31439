import { setTimeout } from "node:timers/promises";
import { expect, it } from "vitest";
import { serveHttp } from "../../../src/node.ts";
import { createFixture } from "../../support/http/fixture.ts";
import { RawSocket, toRequestText, toResponses } from "../../support/http/raw-socket.ts";
import { toNewest } from "../../support/http/stateless-request.ts";

const bytes = 24 * 1024 * 1024;

it.each(["application/json", "text/event-stream"])(
  "a reader that takes little at a time, but steadily, is not cut (%s; slow, because the reader is)",
  async (accept) => {
    const running = await serveHttp(createFixture().server, { stallMs: 1500 });
    const raw = new RawSocket(running.port);
    const params = { name: "big", arguments: { bytes } };
    raw.write(toRequestText(toNewest("tools/call", params, { headers: { accept } })));
    const end = performance.now() + 4000;
    for (let taken = 0; performance.now() < end; taken = raw.text.length) {
      raw.socket.pause();
      await setTimeout(100);
      raw.socket.resume();
      await raw.until(() => raw.ended || raw.text.length > taken);
    }
    await raw.until(() => raw.ended || (raw.text.length > bytes && toResponses(raw.text).length > 0));
    expect(toResponses(raw.text)[0]?.body.length).toBeGreaterThan(bytes);
    raw.destroy();
    await running.close(0);
  },
  30_000,
);
