import { chmod, lstat, unlink } from "node:fs/promises";
import { connect, type Server } from "node:net";
import { UsageError } from "../../errors.ts";
import { type SocketAddress, showAddress, type UnixAddress } from "./address.ts";

/** Makes a server listen; returns its address, with the port that was chosen. */
export async function listenOnSocket(server: Server, address: SocketAddress): Promise<SocketAddress> {
  if ("path" in address) return listenAtPath(server, address);
  const { port, host = "127.0.0.1" } = address;
  await untilListening(server, () => server.listen({ port, host }));
  const bound = server.address();
  return { host, port: typeof bound === "object" && bound !== null ? bound.port : port };
}

async function listenAtPath(server: Server, { path }: UnixAddress): Promise<UnixAddress> {
  if (path.startsWith("\0")) {
    throw new UsageError(
      "An abstract socket is open to every user of this machine; give the path of a file.",
    );
  }
  const isPipe = process.platform === "win32";
  try {
    await untilListening(server, () => withUmask(() => server.listen({ path })));
  } catch (error) {
    if (isPipe || codeOf(error) !== "EADDRINUSE") throw error;
    await removeStale(path);
    await untilListening(server, () => withUmask(() => server.listen({ path })));
  }
  // Needed where the mask could not be set: in worker threads, and under a cluster's primary.
  if (!isPipe) await chmod(path, 0o600);
  return { path };
}

/** Runs with a mask that lets only this user connect, from the moment the file exists. */
function withUmask(run: () => void): void {
  let before: number | undefined;
  try {
    before = process.umask(0o177);
  } catch {
    // Worker threads may not change the mask.
  }
  try {
    run();
  } finally {
    if (before !== undefined) process.umask(before);
  }
}

function untilListening(server: Server, start: () => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const onListening = (): void => {
      server.off("error", onError);
      resolve();
    };
    const onError = (error: Error): void => {
      server.off("listening", onListening);
      reject(error);
    };
    server.once("error", onError);
    server.once("listening", onListening);
    start();
  });
}

/** Removes the socket file of a server that died; any other file stays and is an error. */
async function removeStale(path: string): Promise<void> {
  const found = await lstat(path);
  if (!found.isSocket()) {
    throw new UsageError(
      `${showAddress({ path })} exists and is not a socket; choose another path or remove it.`,
    );
  }
  if (!(await isAbandoned(path))) {
    throw new UsageError(`Another server listens at ${path}; close it or choose another path.`);
  }
  // Another server may have replaced it meanwhile.
  if ((await lstat(path)).ino === found.ino) await unlink(path);
}

function isAbandoned(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = connect({ path });
    probe.once("connect", () => {
      probe.destroy();
      resolve(false);
    });
    probe.once("error", (error) => resolve(codeOf(error) === "ECONNREFUSED"));
  });
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}
