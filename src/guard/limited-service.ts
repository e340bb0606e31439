import type { Call } from "../contract/call.ts";
import type { Service } from "../contract/service.ts";
import { andThen } from "../lib/async/maybe-promise.ts";
import type { CallLimits, LimitOutcome } from "./call-limits.ts";

/** A service for two-way connections that counts what comes over them. The connection passes only notifications that have a listener. */
export function limitService(service: Service, limits: CallLimits): Service {
  return {
    name: service.name,
    get supported() {
      return service.supported;
    },
    get ready() {
      return service.ready;
    },
    get telemetry() {
      return service.telemetry;
    },
    handle: (call) => {
      limits.countSize(call, call.size);
      return andThen(limits.acquire(call, call, call.size), (outcome) =>
        handleWithin(service, call, outcome),
      );
    },
    listensTo: (method) => service.listensTo(method),
    async notify(method, params, origin) {
      const outcome = await limits.acquire({ method, params }, origin);
      if (outcome.ok) await service.notify(method, params, origin).finally(outcome.release);
    },
    countOther({ principal, address }) {
      const caller = { principal, address };
      limits.countOther(caller);
      return limits.floodError(caller);
    },
    readCaller: (params) => service.readCaller(params),
    openSession: (params, origin, createId) => service.openSession(params, origin, createId),
    initializeResult: (session, principal) => service.initializeResult(session, principal),
    mirroredParams: (method, params) => service.mirroredParams(method, params),
    onChange: (listener) => service.onChange(listener),
    forNodes: () => service.forNodes(),
    report: (message, cause) => service.report(message, cause),
  };
}

function handleWithin(service: Service, call: Call, outcome: LimitOutcome): ReturnType<Service["handle"]> {
  if (!outcome.ok) throw outcome.error;
  let handling: ReturnType<Service["handle"]>;
  try {
    handling = service.handle(call);
  } catch (error) {
    outcome.release();
    throw error;
  }
  if (handling instanceof Promise) return handling.finally(outcome.release);
  outcome.release();
  return handling;
}
