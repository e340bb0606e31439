import type { Timeout } from "../peer/deadline.ts";
import type { Change } from "../peer/mount.ts";
import { CapabilityError } from "../protocol/errors.ts";
import { hasCapability } from "../protocol/model/identity.ts";
import { listen } from "./listen.ts";
import type { ChangeListener } from "./notifications.ts";
import { callSafely } from "./problems.ts";
import { neededBy, type Subscription, type SubscriptionFilter } from "./subscription.ts";
import { Watches, type WatchParts } from "./watch.ts";

/** Opens subscriptions in the way of the agreed revision. */
export class Subscriptions {
  readonly #parts: WatchParts & { readonly timeout: Timeout | undefined };
  readonly #watches: Watches;

  constructor(parts: WatchParts & { readonly timeout: Timeout | undefined }) {
    this.#parts = parts;
    this.#watches = new Watches(parts);
  }

  async open(filter: SubscriptionFilter, listener: ChangeListener): Promise<Subscription> {
    const { requests, report } = this.#parts;
    for (const capability of neededBy(filter)) {
      if (!hasCapability(requests.server.capabilities, capability))
        throw new CapabilityError(capability, "server", "This subscription");
    }
    const onChange = (change: Change) => callSafely(report, () => listener(change));
    return requests.revision.subscribing === "listen"
      ? listen(this.#parts, filter, onChange)
      : this.#watches.open(filter, onChange);
  }
}
