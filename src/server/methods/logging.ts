import type { JsonObject } from "../../lib/json.ts";
import type { LogLevel } from "../../protocol/model/logging.ts";
import type { MethodCall } from "./method-call.ts";
import { requireSession } from "./required-session.ts";

/** server/utilities/logging#setting-log-level (2025-11-25) */
export function setLogLevel({ call, catalog }: MethodCall): JsonObject {
  const session = requireSession(call);
  // Nobody waits for the servers behind mounts, one of which may hang. They get the lowest level that any session has.
  const pass = () => {
    const passing = catalog.passToMounts("setLogLevel", call);
    if (passing !== undefined) call.waitUntil?.(passing);
  };
  const apply = () => {
    session.logLevel = call.params.level as LogLevel;
    pass();
  };
  apply();
  call.onChanged?.({
    apply,
    undo: ({ logLevel }) => {
      session.logLevel = logLevel;
      pass();
    },
  });
  return {};
}
