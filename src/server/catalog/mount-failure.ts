import {
  CallLostError,
  ConnectionClosedError,
  ConsentRefusedError,
  ProcessError,
  RpcError,
  TimeoutError,
  ToolHeldError,
} from "../../errors.ts";
import { WireCode } from "../../protocol/wire-error.ts";

interface FailedMount {
  readonly label: string;
  readonly report: (message: string, cause: unknown) => void;
}

/** The error of a call that a mount could not answer; it names the mount and nothing of the cause. */
export class MountFailure extends RpcError {}

/** Makes the error for the caller. The cause goes to the log, unless the host of the mounted client wanted it so. */
export function toMountFailure({ label, report }: FailedMount, cause: unknown): MountFailure {
  if (cause instanceof ConsentRefusedError || cause instanceof ToolHeldError)
    return new MountFailure(WireCode.internal, cause.message, undefined, { cause });
  const message = `The server "${label}" ${describe(cause)}.`;
  report(message, cause);
  return new MountFailure(WireCode.internal, message, undefined, { cause });
}

function describe(cause: unknown): string {
  if (
    cause instanceof ConnectionClosedError ||
    cause instanceof CallLostError ||
    cause instanceof ProcessError
  )
    return "is gone: its connection is closed";
  if (cause instanceof TimeoutError) return "did not answer in time";
  return "failed to answer";
}
