/// <reference types="node" preserve="true" />
export {
  type AnyResult,
  assertContentTypes,
  assertOutputSchema,
  assertRpcError,
  assertStructured,
  assertText,
  assertToolError,
  assertToolSuccess,
} from "./testing/assertions.ts";
export { createTestClock, type TestClock } from "./testing/clock.ts";
export { type ConnectTestOptions, connectTest, type TransportWrapper } from "./testing/connect-test.ts";
export type { Chance, FaultKind, FaultOptions, FaultTarget, InjectedFault } from "./testing/faults/fault.ts";
export { type Faults, faults } from "./testing/faults/faults.ts";
export { type McpMatchers, matchers } from "./testing/matchers.ts";
export {
  type AnswerScript,
  accept,
  type ElicitAnswer,
  type SampleAnswer,
  type TestAnswers,
} from "./testing/scripted-answers.ts";
export type { Difference, ReplayReport } from "./testing/transcript/difference.ts";
export type { MaskOptions } from "./testing/transcript/mask.ts";
export type { PlayedServer } from "./testing/transcript/played-server.ts";
export { type Recording, type RecordOptions, record } from "./testing/transcript/record.ts";
export type { FetchFunction } from "./testing/transcript/record-exchange.ts";
export { type Replay, replay } from "./testing/transcript/replay.ts";
export type { ReplayOptions, ReplayTarget } from "./testing/transcript/replay-to-server.ts";
export {
  encodeTranscript,
  type HttpFacts,
  parseTranscript,
  type Side,
  type Transcript,
  type TranscriptEntry,
  type WireMessage,
} from "./testing/transcript/transcript.ts";
export type { ClientVisit, VisitedServer } from "./testing/zoo/clients.ts";
export { RawClient, type RawClientOptions, type RawMessage } from "./testing/zoo/raw-client.ts";
export {
  discoverScript,
  handshakeScript,
  type ScriptedAnswer,
  type ScriptedConnection,
  ScriptedServer,
  type ScriptOptions,
  type ServerScript,
  silence,
} from "./testing/zoo/scripted-server.ts";
export type { ZooServerOptions } from "./testing/zoo/servers.ts";
export { zoo } from "./testing/zoo/zoo.ts";
