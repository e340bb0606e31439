import { join } from "node:path";
import type { State } from "allspeak/http";
import { nats } from "allspeak/state/nats";
import { postgres } from "allspeak/state/postgres";
import { sqlite } from "allspeak/state/sqlite";
import { deleteStreams, hasNats, url as natsUrl } from "../../state/nats/support.ts";
import { dropSchema, hasPostgres, url as postgresUrl } from "../../state/postgres/support.ts";
import { connectors, hasRedis, openState, ownPrefix } from "../../state/redis/support.ts";
import { createTemporaryFolder, type OnDone } from "../../support/temporary-folder.ts";

export type StoreName = "Redis" | "PostgreSQL" | "NATS" | "SQLite";

interface Store {
  readonly isThere: boolean;
  /** Opens a state whose data is removed in the end. */
  open(onDone: OnDone): State | Promise<State>;
}

/** The stores that nodes can share, beside memory. */
export const stores: Readonly<Record<StoreName, Store>> = {
  Redis: {
    isThere: hasRedis,
    open: async (onDone) => openState(await connectors["a URL and ioredis"](), {}, onDone),
  },
  PostgreSQL: {
    isThere: hasPostgres,
    open: (onDone) => {
      const prefix = ownPrefix().replace("-", "_");
      onDone(() => dropSchema(prefix));
      return postgres(postgresUrl, { prefix });
    },
  },
  NATS: {
    isThere: hasNats,
    open: (onDone) => {
      const prefix = ownPrefix();
      onDone(() => deleteStreams(prefix));
      return nats(natsUrl, { prefix });
    },
  },
  SQLite: {
    isThere: process.getBuiltinModule("node:sqlite") !== undefined,
    open: (onDone) => {
      const file = join(createTemporaryFolder(onDone), "state.db");
      return sqlite(file, { synchronous: "normal" });
    },
  },
};
