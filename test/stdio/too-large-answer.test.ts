import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { openClientPeer } from "../../src/peer/client-peer.ts";
import { LineReader } from "../../src/transports/framing/line-reader.ts";
import { StrayOutput } from "../../src/transports/framing/stray-output.ts";

function openPeer(maxMessageBytes: number) {
  const input = new PassThrough();
  const receiver = { onRequest() {}, onNotification() {}, onProblem() {}, onClose() {} };
  const pipe = {
    kind: "test",
    start(sink: ConstructorParameters<typeof LineReader>[0]) {
      const strayOutput = new StrayOutput((text) => sink.onStrayOutput(text));
      const reader = new LineReader(sink, { maxMessageBytes, strayOutput });
      input.on("data", (chunk: Buffer) => reader.push(chunk));
    },
    write() {},
    close: async () => {},
  };
  const peer = openClientPeer(pipe, { receiver });
  return { peer, input };
}

test("an answer that is too large fails its request with the error that says so", async () => {
  const { peer, input } = openPeer(100);
  const answer = peer.request("tools/list", {});
  input.write(`{"jsonrpc":"2.0","id":1,"result":{"text":"${"x".repeat(200)}"}}\n`);
  await expect(answer).rejects.toMatchObject({ code: "message-too-large", id: 1 });
});

test("an answer that is not UTF-8 is an invalid answer, not an error that the server sent", async () => {
  const { peer, input } = openPeer(1_000);
  const answer = peer.request("tools/list", {});
  input.write(Buffer.concat([Buffer.from('{"jsonrpc":"2.0","id":1,"result":{"a":"'), Buffer.from([0xff])]));
  input.write('"}}\n');
  await expect(answer).rejects.toMatchObject({ code: "invalid-response" });
});
