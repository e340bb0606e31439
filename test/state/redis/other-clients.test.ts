import { describe } from "vitest";
import { keepContract } from "./keep-contract.ts";
import { connectors, hasRedis } from "./support.ts";

const { "a URL and ioredis": _, ...others } = connectors;

describe.skipIf(!hasRedis).each(Object.entries(others))("Redis, by %s, keeps the contract", (_, connect) =>
  keepContract(connect),
);
