import type { ClientOf } from "../client/client.ts";
import { connect } from "../client/connect/connect.ts";
import { type Target, toTransport } from "../client/connect/target.ts";
import { type ConnectOptions, connectOptionKinds } from "../client/options.ts";
import type { Principal } from "../contract/caller/principal.ts";
import { assertOptions, type OptionKinds } from "../contract/options.ts";
import { isServable, type Servable } from "../contract/service.ts";
import type { Transport } from "../contract/transport.ts";
import { RpcError, UsageError } from "../errors.ts";
import { isObject } from "../lib/json.ts";
import { pipeTransport } from "../peer/pipe-transport.ts";
import { servePipe } from "../peer/server-connection.ts";
import type { RevisionName } from "../protocol/negotiate.ts";
import { createMemoryPipe } from "../transports/memory/pipe.ts";
import type { TestClock } from "./clock.ts";
import { ScriptedAnswers, type TestAnswers } from "./scripted-answers.ts";

/** Something that is put around the transport of a test: `record()`, `faults(...)`. */
export interface TransportWrapper {
  transport(transport: Transport): Transport;
}

export interface ConnectTestOptions extends ConnectOptions {
  /** The revision to speak. Default: the newest that both sides do. */
  readonly revision?: RevisionName | undefined;
  /** The identity of the caller, as authorization would establish it; for server values. */
  readonly principal?: Principal | undefined;
  /** Answers to the questions of the server; closing the client throws if some were never asked for. */
  readonly answers?: TestAnswers | undefined;
  /** The clock of the process until the client is closed. Default: the real one. */
  readonly clock?: TestClock | undefined;
  /** Put around the transport in this order, the last one next to the client. */
  readonly through?: readonly TransportWrapper[] | undefined;
}

const answerKindsOf: OptionKinds<TestAnswers> = {
  elicit: "object|array",
  sample: "object|array",
  roots: "array",
};

const connectTestKinds: OptionKinds<ConnectTestOptions> = {
  revision: "string",
  principal: "object",
  answers: answerKindsOf,
  clock: "object",
  through: "array",
  ...connectOptionKinds,
};

/**
 * Connects a client to a server for one test. A server value is served in this process.
 *
 * Close it: `await using client = await connectTest(server)`. Closing throws for scripted answers that were never
 * asked for. A question without an answer fails the call that it belongs to.
 */
export async function connectTest<Server extends Target>(
  server: Server,
  options: ConnectTestOptions = {},
): Promise<ClientOf<Server>> {
  if (server === undefined || server === null)
    throw new UsageError(
      "connectTest takes a server first: connectTest(server), where server is what createServer returned.",
    );
  assertOptions("connectTest", options, connectTestKinds);
  const { revision, principal, answers = {}, clock, through = [], ...others } = options;
  assertCompatible(options);
  const scripted = new ScriptedAnswers(answers);
  clock?.install();
  try {
    const open = isServable(server) ? serveInMemory(server, principal) : await toTransport(server, others);
    const transport = through.reduce((inner, wrapper) => wrapper.transport(inner), open);
    const client = await connect<Server>(transport, {
      ...others,
      ...scripted.handlers,
      ...(revision && { revisions: [revision] }),
    });
    return withChecks<Server>(client, scripted, clock);
  } catch (error) {
    clock?.restore();
    throw error;
  }
}

function assertCompatible({ revision, revisions, answers = {}, ...others }: ConnectTestOptions): void {
  if (revision && revisions) throw new UsageError("connectTest takes revision or revisions, not both.");
  for (const kind of ["elicit", "sample", "roots"] as const)
    if (answers[kind] && others[kind])
      throw new UsageError(`connectTest takes answers.${kind} or the handler ${kind}, not both.`);
}

function serveInMemory(server: Servable, principal: Principal | undefined): Transport {
  return pipeTransport("memory", async () => {
    await server["~service"]().ready;
    const [near, far] = createMemoryPipe();
    servePipe(server, far, { principal });
    return near;
  });
}

const answerKinds: ReadonlyMap<string, keyof TestAnswers> = new Map([
  ["elicitation", "elicit"],
  ["sampling", "sample"],
  ["roots", "roots"],
]);

/** The refusal of a server that wanted to ask, with the answers that a test gives; undefined for other errors. */
function adviseAnswers(error: unknown): RpcError | undefined {
  if (!(error instanceof RpcError && error.cause instanceof RpcError)) return undefined;
  const { wireCode, data, isReceived } = error;
  const required = isObject(data) && isObject(data.requiredCapabilities) ? data.requiredCapabilities : {};
  const kinds = Object.keys(required).flatMap((name) => answerKinds.get(name) ?? []);
  if (kinds.length === 0) return undefined;
  const message = `${error.cause.message} Give connectTest answers.${kinds.join(" and answers.")}.`;
  return new RpcError(wireCode, message, data, { cause: error, isReceived });
}

/** Makes the failures of a script those of the test: of the call that was asked, and of the end. */
function withChecks<Server>(
  client: ClientOf<Server>,
  scripted: ScriptedAnswers,
  clock: TestClock | undefined,
): ClientOf<Server> {
  // Servers of some revisions learn only that the client could not answer, and their callers even less.
  client.use(async (_call, next) => {
    const result = await next().catch((error: unknown) => {
      throw scripted.unscripted ?? adviseAnswers(error) ?? error;
    });
    if (scripted.unscripted) throw scripted.unscripted;
    return result;
  });
  const close = client.close.bind(client);
  return Object.assign(client, {
    close: async () => {
      await close();
      clock?.restore();
      scripted.assertAllAsked();
    },
  });
}
