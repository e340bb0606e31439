import type { Client } from "../../client/client.ts";
import type { Report } from "../../client/report.ts";
import type { HeldTool } from "../../client/trust/pin-check.ts";
import { toCancelled } from "../../contract/cancelled-error.ts";
import { ConnectionClosedError, InvalidResponseError } from "../../errors.ts";
import { SingleFlight } from "../../lib/async/single-flight.ts";
import { runLater } from "../../lib/async/timers.ts";
import { waitAtMost } from "../../lib/async/wait-at-most.ts";
import type { Tool } from "../../protocol/model/tool.ts";

export interface ToolListLimits {
  /** Tools of one server that are read; the others are left out, with a report. */
  readonly maxTools: number;
  /** Characters of the definition of one tool. */
  readonly maxToolChars: number;
  /** Milliseconds that one reading of the list may take. */
  readonly timeoutMs: number;
}

export interface ToolListParts {
  readonly server: string;
  readonly limits: ToolListLimits;
  /** Called with each list that was read, and the tools that the pins of the client hold back. */
  onList(tools: readonly Tool[], held: readonly HeldTool[]): Promise<void>;
  /** Does something with the connection. */
  run<T>(signal: AbortSignal | undefined, work: (client: Client) => Promise<T>): Promise<T>;
  readonly report: Report;
}

/** The share of the time that a server's changes may keep us busy: a tenth. */
const pause = 10;
const minPauseMs = 1_000;
/** The longest wait for a subscription before the list is read without it. */
const subscribeMs = 2_000;
/** Servers that report no changes are asked again after this time. */
const staleMs = 300_000;

/** The list of one server's tools, read when needed and again after it changed. */
export class ToolList {
  readonly #parts: ToolListParts;
  readonly #reading = new SingleFlight<void>((reason) => toCancelled("tools", reason));
  #isRead = false;
  #isStale = false;
  #readAt = 0;
  #tookMs = 0;
  #reportsChanges = false;
  #subscribing: Promise<unknown> = Promise.resolve();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(parts: ToolListParts) {
    this.#parts = parts;
  }

  /** Follows the changes that a new connection reports. */
  follow(client: Client): void {
    this.#reportsChanges = client.server.capabilities.tools?.listChanged === true;
    // Another process may have other tools.
    if (this.#isRead) this.#onChange();
    if (!this.#reportsChanges) return;
    client.onChange(({ kind }) => void (kind === "tools" && this.#onChange()));
    client.onReconnected(() => this.#onChange());
    // In revisions where changes come only to subscribers.
    this.#subscribing = client.subscribe({ tools: true }).catch((error: unknown) => {
      this.#reportUnlessClosed(error);
    });
  }

  /** Settles when the list has been read; at once if it is up to date. */
  async read(signal?: AbortSignal): Promise<void> {
    const isOld = !this.#reportsChanges && Date.now() - this.#readAt > staleMs;
    if (this.#isRead && !this.#isStale && !isOld) return;
    const { signal: never } = new AbortController();
    await this.#reading.join(signal ?? never, (stop) => this.#read(stop));
  }

  /** Forgets the list, and ends its timer. */
  forget(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#isRead = false;
  }

  /** Reads the list again, soon: the longer the last reading took, the later. */
  #onChange(): void {
    this.#isStale = true;
    if (!this.#isRead || this.#timer !== undefined) return;
    const dueIn = this.#readAt + Math.max(minPauseMs, this.#tookMs * pause) - Date.now();
    this.#timer = runLater(
      () => {
        this.#timer = undefined;
        this.read().catch((error: unknown) => this.#reportUnlessClosed(error));
      },
      Math.max(0, dueIn),
    );
  }

  async #read(stop: AbortSignal): Promise<void> {
    const startedAt = Date.now();
    this.#isStale = false;
    try {
      const [tools, held] = await this.#parts.run(stop, async (client) => {
        const read = await this.#readTools(client, stop);
        return [read, client.tools.held()] as const;
      });
      await this.#parts.onList(tools, held);
      this.#isRead = true;
    } catch (error) {
      this.#isStale = true;
      throw error;
    } finally {
      this.#readAt = Date.now();
      this.#tookMs = this.#readAt - startedAt;
    }
  }

  async #readTools(client: Client, signal: AbortSignal): Promise<readonly Tool[]> {
    if (client.server.capabilities.tools === undefined) return [];
    const { maxTools, maxToolChars, timeoutMs } = this.#parts.limits;
    // A change between the list and the subscription would be missed.
    await waitAtMost(subscribeMs, this.#subscribing, () => undefined);
    const tools: Tool[] = [];
    let tooLarge = 0;
    const timeout = { idle: timeoutMs, total: timeoutMs };
    for await (const tool of client.tools.list({ fresh: true, signal, timeout })) {
      if (tools.length >= maxTools) {
        this.#report(`more than ${maxTools} tools; the others are left out`);
        break;
      }
      if (JSON.stringify(tool).length <= maxToolChars) tools.push(tool);
      else tooLarge++;
    }
    if (tooLarge > 0)
      this.#report(`${tooLarge} tools with more than ${maxToolChars} characters; they are left out`);
    return tools;
  }

  /** A connection that was closed on purpose is no problem. */
  #reportUnlessClosed(error: unknown): void {
    if (!(error instanceof ConnectionClosedError)) this.#parts.report(error as Error);
  }

  #report(has: string): void {
    this.#parts.report(new InvalidResponseError(`The server "${this.#parts.server}" has ${has}.`));
  }
}
