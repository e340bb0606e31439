import type { OpenOptions, Transport } from "../contract/transport.ts";

/** A transport like this one, each connection of which is opened with changed options. */
export function wrapTransport(
  transport: Transport,
  change: (options: OpenOptions) => OpenOptions,
): Transport {
  const { kind, address } = transport;
  return {
    kind,
    ...(address !== undefined && { address }),
    open: (options) => transport.open(change(options)),
  };
}
