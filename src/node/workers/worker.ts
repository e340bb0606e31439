import type { HttpServerHandle, ServeHttpOptions } from "../serve/serve-http-options.ts";
import { IpcChannel } from "./ipc-channel.ts";
import { remoteState } from "./remote-state.ts";
import type { FromPrimary, FromWorker } from "./worker-message.ts";

type Serve = (options: ServeHttpOptions) => Promise<HttpServerHandle>;

let primary: IpcChannel<FromWorker, FromPrimary> | undefined;
const handles: HttpServerHandle[] = [];
let isClosing = false;

/** Serves as one of several processes until the primary, or a signal, ends this process. Never settles. */
export async function serveAsWorker(
  endpoint: number,
  options: ServeHttpOptions,
  serve: Serve,
): Promise<never> {
  primary ??= connectToPrimary();
  const state = options.state?.isShared ? options.state : remoteState(primary, endpoint);
  try {
    const handle = await serve({ ...options, state, port: await askForPort(primary, endpoint) });
    handles.push(handle);
    void primary.send({ kind: "listening", endpoint, url: handle.url });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    await primary.send({ kind: "failed", endpoint, message });
    process.exit(1);
  }
  return new Promise(() => {});
}

function askForPort(channel: IpcChannel<FromWorker, FromPrimary>, endpoint: number): Promise<number> {
  return new Promise((resolve) => {
    const stop = channel.onMessage((message) => {
      if (message.kind !== "port" || message.endpoint !== endpoint) return;
      stop();
      resolve(message.port);
    });
    void channel.send({ kind: "ready", endpoint });
  });
}

function connectToPrimary(): IpcChannel<FromWorker, FromPrimary> {
  const channel = new IpcChannel<FromWorker, FromPrimary>(process);
  channel.onMessage((message) => {
    if (message.kind === "close") void closeAll(message.drainMs);
  });
  // A terminal and service managers send signals to workers, too; calls finish all the same.
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => void closeAll());
  return channel;
}

async function closeAll(drainMs?: number): Promise<void> {
  if (isClosing) return;
  isClosing = true;
  await Promise.allSettled(handles.map((handle) => handle.close(drainMs)));
  process.exit(0);
}
