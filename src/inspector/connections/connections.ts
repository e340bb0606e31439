import { memoryCredentialStore } from "allspeak/auth";
import type { ConnectChoice, ConnectionView, TargetChoice } from "../messages/connection.ts";
import type { RunView } from "../messages/question.ts";
import { InspectorError } from "../session/failure.ts";
import type { WireLog } from "../wire/wire-log.ts";
import { InspectedConnection, type InspectedConnectionParts } from "./connection.ts";
import type { ConnectionListener } from "./connection-listener.ts";
import { findOffer } from "./offered.ts";
import { type ResolveTargetContext, resolveChoice } from "./resolve-target.ts";

export interface ConnectionsParts extends Omit<ResolveTargetContext, "askInput" | "askToRun"> {
  readonly wire: WireLog;
  readonly listener: ConnectionListener;
  readonly version: string;
  /** All revisions of the library, newest first. */
  readonly revisions: readonly string[];
}

export interface ConnectionRequest
  extends Pick<InspectedConnectionParts, "purpose" | "observer" | "answers"> {
  readonly target: TargetChoice;
  readonly options?: ConnectChoice | undefined;
}

const maxConnections = 50;

/** All connections of the session, open and closed. */
export class Connections {
  readonly #parts: ConnectionsParts;
  readonly #all = new Map<string, InspectedConnection>();
  /** Programs and servers of files that the person has agreed to, as they were shown. */
  readonly #agreed = new Set<string>();
  /** Tokens are shared: a login is for a server, not for a connection. */
  readonly #store = memoryCredentialStore();
  #count = 0;

  constructor(parts: ConnectionsParts) {
    this.#parts = parts;
  }

  get views(): readonly ConnectionView[] {
    return [...this.#all.values()].map(({ view }) => view);
  }

  get(id: string): InspectedConnection {
    const found = this.#all.get(id);
    if (found) return found;
    throw new InspectorError("not-found", `There is no connection ${JSON.stringify(id)}.`);
  }

  /** A connection that is not open yet. */
  create({ target, options = {}, ...others }: ConnectionRequest): InspectedConnection {
    this.#makeRoom();
    const { wire, listener, version, revisions, offers } = this.#parts;
    const title = target.kind === "offered" ? findOffer(offers, target.name)?.title : undefined;
    const wanted = options.label ?? title;
    const label = wanted === undefined || others.purpose ? wanted : this.#toFreeLabel(wanted);
    const id = `c${++this.#count}`;
    const connection = new InspectedConnection({
      ...others,
      id,
      choice: target,
      options: { ...forTransport(options, revisions), ...(label !== undefined && { label }) },
      toFreeLabel: (name) => (others.purpose ? name : this.#toFreeLabel(name, id)),
      wire,
      listener,
      store: this.#store,
      version,
    });
    this.#all.set(connection.id, connection);
    return connection;
  }

  async open(connection: InspectedConnection, signal: AbortSignal): Promise<void> {
    const stop = AbortSignal.any([signal, connection.signal]);
    await connection.open(() => this.#resolve(connection, stop), signal);
  }

  forget(id: string): void {
    const connection = this.get(id);
    if (isLive(connection))
      throw new InspectorError("invalid-request", "The connection is open: disconnect it first.");
    this.#all.delete(id);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#all.values()].map((connection) => connection.close()));
  }

  /** The label itself, or with the first number that no other connection has. */
  #toFreeLabel(label: string, own?: string): string {
    const others = [...this.#all.values()].filter((one) => isLive(one) && one.id !== own);
    const taken = new Set(others.map(({ view }) => view.label));
    for (let number = 2, free = label; ; free = `${label} ${number++}`) if (!taken.has(free)) return free;
  }

  #resolve(connection: InspectedConnection, signal: AbortSignal) {
    const { id, choice, options } = connection;
    const { listener } = this.#parts;
    return resolveChoice(choice, options.transport, {
      ...this.#parts,
      askInput: async (input) => {
        const answer = await listener.ask(id, { kind: "input", input }, signal);
        return answer.kind === "input" ? answer.value : "";
      },
      askToRun: (run) => this.#askToRun(id, run, signal),
    });
  }

  async #askToRun(id: string, run: RunView, signal: AbortSignal): Promise<void> {
    const key = JSON.stringify(run);
    if (this.#agreed.has(key)) return;
    const answer = await this.#parts.listener.ask(id, { kind: "run", run }, signal);
    if (answer.kind !== "decide" || !answer.isAllowed)
      throw new InspectorError(
        "declined",
        run.kind === "url" ? "Nothing was sent to the server." : "The program was not started.",
      );
    this.#agreed.add(key);
  }

  /** The oldest connection that is closed makes room for a new one. */
  #makeRoom(): void {
    if (this.#all.size < maxConnections) return;
    const closed = [...this.#all.values()].find((connection) => !isLive(connection));
    if (closed === undefined)
      throw new InspectorError("too-much", `At most ${maxConnections} connections are open at a time.`, {
        hint: "Disconnect some.",
      });
    this.#all.delete(closed.id);
  }
}

function isLive({ view: { state } }: InspectedConnection): boolean {
  return state === "open" || state === "connecting";
}

/** HTTP+SSE belongs to the oldest revision, which is then the only one that is offered. */
function forTransport(options: ConnectChoice, revisions: readonly string[]): ConnectChoice {
  if (options.transport !== "http-sse-2024" || options.revisions) return options;
  return { ...options, revisions: revisions.slice(-1) };
}
