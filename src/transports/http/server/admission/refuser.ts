import type { HostCheck } from "../../../../guard/host-check.ts";
import type { MaybePromise } from "../../../../lib/async/maybe-promise.ts";
import { OnDemand } from "../../../../lib/async/on-demand.ts";
import type { HttpReply, HttpRequest } from "../http-interface.ts";
import type { HttpSettings } from "../http-options.ts";
import type { RefusedHost } from "./admission.ts";
import { describeEndpoint, type RefusalLog } from "./refusal-log.ts";

// Loaded with the first request that needs it: hardly any client is refused.
const refusals = new OnDemand(() => import("./refusals.ts"));

/** Refuses requests that have no route, or must not get to it, and logs what their senders may have got wrong. */
export class Refuser {
  readonly #hosts: HostCheck;
  readonly #settings: HttpSettings;
  readonly #log: RefusalLog;

  constructor(hosts: HostCheck, settings: HttpSettings, log: RefusalLog) {
    this.#hosts = hosts;
    this.#settings = settings;
    this.#log = log;
  }

  refuseHost(http: HttpRequest, reply: HttpReply, refusal: RefusedHost): MaybePromise<void> {
    this.#log.add(refusal.kind, http, `was refused: ${refusal.reason}`);
    return refusals.use((part) => part.refuseHost(http, reply, refusal, this.#hosts));
  }

  sendNotFound(http: HttpRequest, reply: HttpReply): MaybePromise<void> {
    if (http.method === "POST") this.logMiss(http, "was refused");
    return refusals.use((part) => part.sendNotFound(http, reply, this.#settings));
  }

  sendMethodError(
    http: HttpRequest,
    reply: HttpReply,
    methods: ReadonlyMap<string, unknown>,
  ): MaybePromise<void> {
    return refusals.use((part) => part.sendMethodError(http, reply, methods, this.#settings));
  }

  /** Logs a request that has missed the endpoint. */
  logMiss(http: HttpRequest, outcome: string): void {
    this.#log.add("path", http, `${outcome}: ${describeEndpoint(http, this.#settings)}.`);
  }
}
