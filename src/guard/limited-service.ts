import type { Service } from "../contract/service.ts";
import type { CallLimits } from "./call-limits.ts";

/** The same service for conversations, in which each call has to find room first. */
export function limitService(service: Service, limits: CallLimits): Service {
  return {
    get supported() {
      return service.supported;
    },
    async handle(call) {
      const entry = await limits.acquire(call, call);
      if (!entry.ok) throw entry.error;
      try {
        return await service.handle(call);
      } finally {
        entry.release();
      }
    },
    notify: (method, params, origin) => service.notify(method, params, origin),
    readCaller: (params) => service.readCaller(params),
    openSession: (params) => service.openSession(params),
    initializeResult: (session) => service.initializeResult(session),
    mirroredParams: (method, params) => service.mirroredParams(method, params),
    onChange: (listener) => service.onChange(listener),
    report: (message, cause) => service.report(message, cause),
  };
}
