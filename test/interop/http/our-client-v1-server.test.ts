import { officialV1 } from "../our-client/officials.ts";
import { describeOurCalls, describeOurClient } from "../our-client/suite.ts";
import { reachV1 } from "./reach.ts";

const all = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] as const;

describeOurClient("the official SDK v1 server with sessions", all, officialV1, reachV1("sessions"));
describeOurClient(
  "the official SDK v1 server with an event store",
  ["2025-06-18", "2025-11-25"],
  officialV1,
  reachV1("resumable"),
);
describeOurClient("the official SDK v1 server over HTTP+SSE", all, officialV1, reachV1("sse", "sse"));
describeOurCalls(
  "the official SDK v1 server that answers with JSON",
  ["2025-03-26", "2025-11-25"],
  officialV1,
  reachV1("json"),
);
describeOurCalls("the official SDK v1 server without sessions", all, officialV1, reachV1("stateless"));
