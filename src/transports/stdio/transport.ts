import type { Receiver } from "../../contract/channel.ts";
import { assertOptions } from "../../contract/options.ts";
import type { Transport } from "../../contract/transport.ts";
import type { RepeatedStderrFilter } from "./child-stderr.ts";
import { type StdioCommand, stdioCommandKinds } from "./stdio-command.ts";

export type { StdioCommand };

/** Starts a process for each connection; the process ends with its connection. */
export function stdioTransport(command: StdioCommand): Transport {
  assertOptions("A command", command, stdioCommandKinds);
  let repeated: RepeatedStderrFilter | undefined;
  return {
    kind: "stdio",
    async open(opening) {
      // Loaded on demand: servers share this entry, and start faster without it.
      const [{ openClientPeer }, { openChildPipe }, stderr, { RestartingChannel }] = await Promise.all([
        import("../../peer/client-peer.ts"),
        import("./child-pipe.ts"),
        import("./child-stderr.ts"),
        import("./restarting-channel.ts"),
      ]);
      repeated ??= new stderr.RepeatedStderrFilter();
      const { revision, tap, wrapPipe } = opening;
      const openPeer = async (receiver: Receiver, signal?: AbortSignal) => {
        const pipe = await openChildPipe(command, signal, repeated);
        return openClientPeer(pipe, { receiver, tap, wrapPipe, revision });
      };
      if (command.restart === false) return openPeer(opening.receiver, opening.signal);
      return RestartingChannel.open(opening, openPeer);
    },
  };
}
