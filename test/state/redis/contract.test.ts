import { describe } from "vitest";
import { contractRuns } from "../../support/contract-runs.ts";
import { keepContract } from "./keep-contract.ts";
import { connectors, hasRedis } from "./support.ts";

const way = "a URL and ioredis";

describe.skipIf(!hasRedis)(`Redis, by ${way}, keeps the contract`, () =>
  keepContract(connectors[way], contractRuns),
);
