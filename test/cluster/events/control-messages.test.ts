import { expect, it } from "vitest";
import { openSession, RawSession } from "../../support/http/raw-session.ts";
import { cuttable, sharedMemory } from "../../support/shared-state.ts";
import { openNodes } from "../nodes.ts";

const maxEvents = 20;
const revision = "2025-11-25";

it("a call is cancelled, a session ended and a stream taken at a node that was behind by more changes than are kept", async () => {
  const state = sharedMemory({ maxEvents });
  const slow = cuttable(state);
  const states = [state, slow.state, state, state];
  const { nodes } = await openNodes({}, () => states.shift() ?? state);
  const [a, b] = nodes;
  const session = await openSession(a.url, revision);
  const ended = await openSession(a.url, revision);
  const taken = await openSession(a.url, revision);
  const call = await session.call("wait", { name: "cancelled", talk: true }, { id: 7 });
  const doomed = await ended.call("wait", { name: "ended", talk: true });
  const stream = await taken.listen();
  expect(await a.started.take(2)).toEqual(["cancelled", "ended"]);

  slow.cut();
  const at = ({ id }: RawSession) => new RawSession(b.url, id, revision);
  await at(session).notify("notifications/cancelled", { requestId: 7 });
  await at(ended).delete();
  const next = await at(taken).listen();
  for (let change = 0; change <= 2 * maxEvents; change++)
    await b.server.resources.updated(`fixture://notes/${change}`);
  slow.mend();

  expect((await a.aborted.take(2)).sort()).toEqual(["cancelled", "ended"]);
  await stream.messages();
  next.cut();
  call.cut();
  doomed.cut();
});
