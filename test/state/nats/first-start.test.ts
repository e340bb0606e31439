import { randomBytes } from "node:crypto";
import { connect } from "@nats-io/transport-node";
import { nats } from "allspeak/state/nats";
import { expect, it, onTestFinished } from "vitest";
import { hasNats, ownPrefix, url } from "./support.ts";

const prefix = ownPrefix();

const overlap = {
  error: { code: 400, err_code: 10065, description: "subjects overlap with an existing stream" },
};

it.skipIf(!hasNats)("a node that starts while another makes the streams uses those", async () => {
  const connection = await connect({ servers: new URL(url).host });
  onTestFinished(() => connection.close());
  const request = connection.request.bind(connection);
  // The server answers so while it makes the same stream for another.
  connection.request = async (subject, ...given) => {
    const answer = await request(subject, ...given);
    if (!subject.startsWith("$JS.API.STREAM.CREATE.")) return answer;
    return Object.create(answer, { data: { value: new TextEncoder().encode(JSON.stringify(overlap)) } });
  };
  const state = nats(connection, { prefix });
  const key = randomBytes(8).toString("hex");
  expect(await state.values.add(key, "1", 10_000)).toBe(true);
  expect(await state.values.get(key)).toBe("1");
});
