// One node. All nodes need the same REDIS_URL and ALLSPEAK_STATE_KEYS; PORT, HOST and PUBLIC_URL are optional.
import { serveHttp } from "allspeak/node";
import { redis } from "allspeak/state/redis";
import { createBoard } from "./server.ts";

const { REDIS_URL = "redis://127.0.0.1:6379", PORT = "0", HOST, PUBLIC_URL, REDIS_PREFIX } = process.env;

const state = redis(REDIS_URL, REDIS_PREFIX ? { prefix: REDIS_PREFIX } : {});
const running = await serveHttp(createBoard(), {
  port: Number(PORT),
  ...(HOST && { host: HOST }),
  ...(PUBLIC_URL && { publicUrl: PUBLIC_URL }),
  state,
});
console.log(running.url);

process.once("SIGTERM", async () => {
  await running.close();
  await state.close();
});
