import { ClusterNode } from "../../../cluster/node.ts";
import { PassedMessages } from "../../../cluster/passed-messages.ts";
import type { Service } from "../../../contract/service.ts";
import { settlesWithin } from "../../../lib/async/wait-at-most.ts";
import { reportDurability } from "../../../state/report-durability.ts";
import type { State } from "../../../state/state.ts";

/** An endpoint among those that share its state. */
export interface SharedNode {
  readonly node: ClusterNode;
  /** The messages of HTTP+SSE streams that come to other nodes than the one that holds them. */
  passMessages(): PassedMessages;
  close(): Promise<void>;
}

/** The time in which a state that can't be used fails the start. A store that is away does not. */
const openMs = 800;

/** Makes an endpoint a node: the events of its server go to all nodes, and those of all nodes to its listeners. */
export async function openNode(service: Service, state: State): Promise<SharedNode> {
  const report = (message: string, cause: unknown) => service.report(message, cause);
  const usable = settlesWithin(openMs, reportDurability(state, report));
  const [nodeService] = await Promise.all([service.forNodes(), usable]);
  const node = new ClusterNode(state, nodeService, report);
  const { bus } = node;
  const shared = nodeService.shareEvents({
    through: state,
    publish: (event) => bus.announce(event),
    // Earlier announcements do not concern a client that begins to listen now.
    follow: () => bus.catchUp(),
  });
  bus.onMessage((message) => {
    if (message.type === "event") shared.deliver(message.event);
  });
  bus.onMissed(() => shared.miss());
  return {
    node,
    passMessages: () => new PassedMessages(node),
    close: async () => {
      shared.stop();
      await node.close();
    },
  };
}
