import { Semaphore } from "../../lib/async/semaphore.ts";
import { invalidParams } from "../../protocol/wire-error.ts";
import type { Report } from "../report.ts";
import type { Subscription, SubscriptionFilter } from "./subscription.ts";

export interface JoinedSubscriptionsOptions {
  /** The number of resources in one subscription. */
  readonly maxJoined: number;
  readonly subscribe: (filter: SubscriptionFilter) => Promise<Subscription>;
  readonly report: Report;
}

/** One subscription to several resources. */
interface Joint {
  /** Those that are still watched. */
  readonly uris: Set<string>;
  /** Undefined if nothing was left to subscribe to. */
  readonly opening: Promise<Subscription | undefined>;
  /** The number of resources that it was opened with; 0 before. */
  size: number;
}

/** Callers decide how many there are, and each may be a connection. */
const maxOpening = 16;

/** Watches resources one by one, in few subscriptions: those that are named within one turn share one. */
export class JoinedSubscriptions {
  readonly #options: JoinedSubscriptionsOptions;
  readonly #joints = new Map<string, Joint>();
  readonly #opening = new Semaphore(maxOpening);
  /** The subscription that still takes resources. */
  #next: Joint | undefined;

  constructor(options: JoinedSubscriptionsOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#joints.size;
  }

  has(uri: string): boolean {
    return this.#joints.has(uri);
  }

  /** Settles when the server knows; safe to call twice. */
  async watch(uri: string): Promise<void> {
    const joint = this.#joints.get(uri) ?? this.#join(uri);
    let subscription: Subscription | undefined;
    try {
      subscription = await joint.opening;
    } catch (error) {
      const current = this.#joints.get(uri);
      if (current === joint) this.#leave(joint, uri);
      // The server may have refused another one of them.
      if (current === joint && joint.size > 1) this.#add(this.#open(), uri);
      if (!this.#joints.has(uri)) throw error;
      return this.watch(uri);
    }
    const isRefused = subscription !== undefined && !subscription.agreed.resources?.includes(uri);
    if (!isRefused || this.#joints.get(uri) !== joint) return;
    this.#leave(joint, uri);
    throw invalidParams(`The server does not send updates of ${uri}.`);
  }

  unwatch(uri: string): void {
    const joint = this.#joints.get(uri);
    if (joint === undefined) return;
    this.#leave(joint, uri);
    if (joint.size > 0 && joint.uris.size * 2 <= joint.size) this.#renew(joint);
  }

  close(): void {
    for (const joint of new Set(this.#joints.values())) {
      joint.uris.clear();
      this.#end(joint);
    }
    this.#joints.clear();
  }

  #join(uri: string): Joint {
    if (this.#next === undefined || this.#next.uris.size >= this.#options.maxJoined)
      this.#next = this.#open();
    return this.#add(this.#next, uri);
  }

  #add(joint: Joint, uri: string): Joint {
    joint.uris.add(uri);
    this.#joints.set(uri, joint);
    return joint;
  }

  #leave(joint: Joint, uri: string): void {
    this.#joints.delete(uri);
    joint.uris.delete(uri);
  }

  /** Opens a subscription for what is added to it within this turn. */
  #open(): Joint {
    const opening = Promise.resolve().then(() => {
      if (this.#next === joint) this.#next = undefined;
      return this.#opening.run(async () => {
        joint.size = joint.uris.size;
        return joint.size > 0 ? this.#options.subscribe({ resources: [...joint.uris] }) : undefined;
      });
    });
    const joint: Joint = { uris: new Set(), opening, size: 0 };
    return joint;
  }

  /** Replaces a subscription of which most is no longer watched by one to the rest. */
  #renew(joint: Joint): void {
    const rest = [...joint.uris];
    for (const uri of rest) this.#leave(joint, uri);
    void Promise.all(rest.map((uri) => this.watch(uri).catch(this.#options.report))).then(() =>
      this.#end(joint),
    );
  }

  #end({ opening }: Joint): void {
    // A subscription that could not be opened was reported by `watch`.
    opening.then((subscription) => subscription?.close().catch(this.#options.report)).catch(() => {});
  }
}
