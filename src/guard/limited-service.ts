import type { Service } from "../contract/service.ts";
import type { CallLimits } from "./call-limits.ts";

/** A service for two-way connections that counts each call and each notification. The connection passes only notifications that have a listener. */
export function limitService(service: Service, limits: CallLimits): Service {
  return {
    get supported() {
      return service.supported;
    },
    get ready() {
      return service.ready;
    },
    async handle(call) {
      const outcome = await limits.acquire(call, call);
      if (!outcome.ok) throw outcome.error;
      try {
        return await service.handle(call);
      } finally {
        outcome.release();
      }
    },
    listensTo: (method) => service.listensTo(method),
    async notify(method, params, origin) {
      const outcome = await limits.acquire({ method, params }, origin);
      if (outcome.ok) await service.notify(method, params, origin).finally(outcome.release);
    },
    readCaller: (params) => service.readCaller(params),
    openSession: (params) => service.openSession(params),
    restoreSession: (stored, revision) => service.restoreSession(stored, revision),
    initializeResult: (session) => service.initializeResult(session),
    mirroredParams: (method, params) => service.mirroredParams(method, params),
    onChange: (listener) => service.onChange(listener),
    report: (message, cause) => service.report(message, cause),
  };
}
