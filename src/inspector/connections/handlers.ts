import type { ConnectionRequests } from "../messages/connection.ts";
import type { Handlers } from "../session/handler.ts";
import { readConfigFiles } from "./config-files.ts";
import { assertConnectChoice, assertTargetChoice } from "./target-choice.ts";

export const connectionHandlers: Handlers<keyof ConnectionRequests> = {
  "list-configured": async (_params, { session }) => ({ files: await readConfigFiles(session.options) }),

  async connect({ target, options }, { session, signal }) {
    assertTargetChoice(target);
    assertConnectChoice(options);
    const { view } = await session.connections.open({ target, options, signal });
    return { connection: view };
  },

  async disconnect({ connection }, { session }) {
    await session.connections.get(connection).close();
    return {};
  },

  forget({ connection }, { session }) {
    session.connections.forget(connection);
    return {};
  },
};
