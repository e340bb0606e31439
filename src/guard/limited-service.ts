import type { Service } from "../peer/service.ts";
import type { Limits } from "./limits.ts";

/** The same service for conversations, in which each call has to find room first. */
export function limitService(service: Service, limits: Limits): Service {
  return {
    get supported() {
      return service.supported;
    },
    async handle(call) {
      const entry = await limits.enter(call, call);
      if (!entry.ok) throw entry.error;
      try {
        return await service.handle(call);
      } finally {
        entry.leave();
      }
    },
    readCaller: (params) => service.readCaller(params),
    openSession: (params) => service.openSession(params),
    greet: (session) => service.greet(session),
    mirroredParams: (method, params) => service.mirroredParams(method, params),
    onChange: (listener) => service.onChange(listener),
    report: (message, cause) => service.report(message, cause),
  };
}
