import { officialV2 } from "../our-client/officials.ts";
import { describeOurCalls, describeOurClient } from "../our-client/suite.ts";
import { reachV2 } from "./reach.ts";

const handshaking = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] as const;

describeOurClient(
  "the official SDK v2 server with sessions",
  [...handshaking, "2026-07-28"],
  officialV2,
  reachV2("sessions"),
);
describeOurClient(
  "the official SDK v2 server with an event store",
  ["2025-06-18", "2025-11-25"],
  officialV2,
  reachV2("resumable"),
);
describeOurCalls(
  "the official SDK v2 server that answers with JSON",
  ["2025-11-25", "2026-07-28"],
  officialV2,
  reachV2("json"),
);
describeOurCalls(
  "the official SDK v2 server without sessions",
  handshaking,
  officialV2,
  reachV2("stateless"),
);
