import { EventEmitter } from "node:events";
import type { IpcEnd } from "../../../src/node/workers/ipc-channel.ts";

/** Calls its argument when the next message may arrive. */
export type Delivery = (deliver: () => void) => void;

/** The two ends of an IPC channel within this process. Messages arrive in order, each when `later` says so. */
export function createIpcEnds(later: Delivery = setImmediate): [primary: IpcEnd, worker: IpcEnd] {
  const [primary, worker] = [new EventEmitter(), new EventEmitter()];
  return [toEnd(primary, worker, later), toEnd(worker, primary, later)];
}

function toEnd(own: EventEmitter, other: EventEmitter, later: Delivery): IpcEnd {
  const sent: unknown[] = [];
  return Object.assign(own, {
    send: (message: unknown, onSent?: (error: null) => void) => {
      sent.push(structuredClone(message));
      later(() => void other.emit("message", sent.shift()));
      onSent?.(null);
      return true;
    },
  }) as IpcEnd;
}
