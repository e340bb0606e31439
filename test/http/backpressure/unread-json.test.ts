import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it } from "vitest";
import { createNodeHandler } from "../../../src/node.ts";
import { createFixture } from "../../support/http/fixture.ts";
import { RawSocket, toRequestText } from "../../support/http/raw-socket.ts";
import { toNewest } from "../../support/http/stateless-request.ts";
import { hurry } from "../../support/hurry.ts";

const bytes = 64 * 1024 * 1024;

it("a reader that takes nothing of a JSON answer is cut, so that it is not held for ever", async () => {
  hurry();
  const handle = createNodeHandler(createFixture().server, { stallMs: 200 });
  let answered: (response: ServerResponse) => void = () => {};
  const response = new Promise<ServerResponse>((resolve) => {
    answered = resolve;
  });
  const http = createServer((incoming, outgoing) => {
    answered(outgoing);
    handle(incoming, outgoing);
  });
  await once(http.listen(0, "127.0.0.1"), "listening");
  const raw = new RawSocket((http.address() as AddressInfo).port);
  raw.socket.pause();
  raw.write(toRequestText(toNewest("tools/call", { name: "big", arguments: { bytes } })));
  await once(await response, "close");
  raw.socket.resume();
  expect((await raw.end()).length).toBeLessThan(bytes);
  await handle.close(0);
  http.close();
});
