import type { ConnectionRequests } from "../messages/connection.ts";
import type { Handlers } from "../session/handler.ts";
import { readConfigFiles } from "./config-files.ts";
import { assertConnectChoice, assertTargetChoice } from "./target-choice.ts";

export const connectionHandlers: Handlers<keyof ConnectionRequests> = {
  "list-configured": async (_params, { session }) => ({ files: await readConfigFiles(session.options) }),

  async connect({ target, options }, { session, signal }) {
    assertTargetChoice(target);
    assertConnectChoice(options);
    const connection = session.connections.create({ target, options });
    await session.connections.open(connection, signal);
    return { connection: connection.view };
  },

  async "connect-again"({ connection: id }, { session, signal }) {
    const { choice: target, options } = session.connections.get(id);
    const connection = session.connections.create({ target, options });
    await session.connections.open(connection, signal);
    return { connection: connection.view };
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
