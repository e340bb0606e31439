import type { Timeout } from "../../contract/deadline.ts";
import type { Change } from "../../contract/server-event.ts";
import { CapabilityError } from "../../errors.ts";
import { hasCapability } from "../../protocol/model/identity.ts";
import type { ChangeListener } from "../incoming/notifications.ts";
import { callSafely } from "../report.ts";
import { assertTasksDeclared } from "../tasks/declared-tasks.ts";
import { openListenStream } from "./listen-stream.ts";
import { ResourceSubscriptions, type SubscriptionParts } from "./resource-subscriptions.ts";
import { capabilitiesFor, type Subscription, type SubscriptionFilter } from "./subscription.ts";

/** Opens subscriptions as the agreed revision does. */
export class Subscriptions {
  readonly #parts: SubscriptionParts & { readonly timeout: Timeout | undefined };
  readonly #watches: ResourceSubscriptions;

  constructor(parts: SubscriptionParts & { readonly timeout: Timeout | undefined }) {
    this.#parts = parts;
    this.#watches = new ResourceSubscriptions(parts);
  }

  async open(filter: SubscriptionFilter, listener: ChangeListener): Promise<Subscription> {
    const { requests, report } = this.#parts;
    for (const capability of capabilitiesFor(filter)) {
      if (!hasCapability(requests.server.capabilities, capability))
        throw new CapabilityError(capability, "server", "This subscription");
    }
    if (filter.tasks?.length) assertTasksDeclared(requests, "A subscription to tasks");
    const onChange = (change: Change) => callSafely(report, () => listener(change));
    return requests.revision.subscribing === "listen"
      ? openListenStream(this.#parts, filter, onChange)
      : this.#watches.open(filter, onChange);
  }
}
