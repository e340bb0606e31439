import type { State } from "allspeak/http";
import { hasNats, openState as openNats, ownPrefix as ownNatsPrefix } from "../state/nats/support.ts";
import {
  hasPostgres,
  openState as openPostgres,
  ownPrefix as ownPostgresPrefix,
} from "../state/postgres/support.ts";
import {
  connectors,
  hasRedis,
  openState as openRedis,
  ownPrefix as ownRedisPrefix,
} from "../state/redis/support.ts";
import { sharedMemory } from "../support/shared-state.ts";

/** A store that nodes can share. */
export interface Backend {
  readonly name: string;
  readonly isThere: boolean;
  /** Gives the function that connects a node, until the test is over. All that it connects share one state. */
  share(): () => State | Promise<State>;
}

const natsPrefix = ownNatsPrefix();

/** Every store that nodes can share, but SQLite, which needs a newer Node. One that is not there says so once, and its tests are skipped. */
export const backends: readonly Backend[] = [
  {
    name: "memory",
    isThere: true,
    share: () => {
      const state = sharedMemory();
      return () => state;
    },
  },
  {
    name: "Redis",
    isThere: hasRedis,
    share: () => {
      const prefix = ownRedisPrefix();
      return async () => openRedis(await connectors["a URL and ioredis"](), { prefix });
    },
  },
  {
    name: "PostgreSQL",
    isThere: hasPostgres,
    share: () => {
      const prefix = ownPostgresPrefix();
      return () => openPostgres(prefix);
    },
  },
  { name: "NATS", isThere: hasNats, share: () => () => openNats({ prefix: natsPrefix }) },
];
