import { McpError } from "../../errors.ts";
import type { State } from "../../state/state.ts";
import type { IpcChannel } from "./ipc-channel.ts";
import { type FromPrimary, type FromWorker, type StateRequest, storeMethods } from "./worker-message.ts";

/**
 * Lets a worker use states of this process.
 *
 * `stateOf` gives the state of an endpoint once it is known. Returns the function that ends all watches.
 */
export function hostState(
  channel: IpcChannel<FromPrimary, FromWorker>,
  stateOf: (endpoint: number) => Promise<State>,
): () => void {
  const watches = new Map<number, Watch>();
  const watch = async (endpoint: number, id: number, stream: string | undefined) => {
    const begun: Watch = {};
    watches.set(id, begun);
    const { events, tasks } = await stateOf(endpoint);
    // The worker may have stopped it meanwhile, or ended.
    if (watches.get(id) !== begun) return;
    const hint = (task?: string) =>
      void channel.send({ kind: "hint", id, ...(task !== undefined && { task }) });
    begun.stop = stream === undefined ? tasks.onChange(hint) : events.watch(stream, () => hint());
  };
  const stopListening = channel.onMessage((message) => {
    if (message.kind === "state")
      void answer(stateOf(message.endpoint), message).then((sent) => channel.send(sent));
    // Without a state there are no hints; each call gets the error.
    if (message.kind === "watch") watch(message.endpoint, message.id, message.stream).catch(() => {});
    if (message.kind === "unwatch") {
      watches.get(message.id)?.stop?.();
      watches.delete(message.id);
    }
  });
  return () => {
    stopListening();
    for (const { stop } of watches.values()) stop?.();
    watches.clear();
  };
}

/** A watch of a worker, which begins when the state is known. */
interface Watch {
  stop?: () => void;
}

type Method = (...args: unknown[]) => unknown;

async function answer(
  known: Promise<State>,
  { id, store, method, args }: StateRequest,
): Promise<FromPrimary> {
  try {
    const methods: readonly string[] = storeMethods[store];
    if (!methods.includes(method)) throw new Error(`A state has no method ${store}.${method}.`);
    const target = (await known)[store];
    const call = target[method as keyof typeof target] as Method;
    return { kind: "value", id, value: await call.apply(target, [...args]) };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { kind: "error", id, message, ...(error instanceof McpError && { code: error.code }) };
  }
}
