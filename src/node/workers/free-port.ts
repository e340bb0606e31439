import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { showAddress } from "../../transports/socket/address.ts";
import { toListenError } from "../../transports/socket/listen-error.ts";

/** A port of this host that nobody listens on. */
export async function findFreePort(host: string): Promise<number> {
  const server = createServer();
  try {
    await once(server.listen(0, host), "listening");
  } catch (error) {
    throw toListenError(error, showAddress({ host, port: 0 }));
  }
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
