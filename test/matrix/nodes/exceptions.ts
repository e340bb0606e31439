interface Exception {
  readonly reason: string;
  /** The cases of each suite. */
  readonly cases: { readonly [suite: string]: readonly string[] };
}

/** The cases that do not hold at nodes which share a store. */
export const exceptions: readonly Exception[] = [
  {
    reason:
      "Changes cross the store, so that answers may overtake them, and several become one. test/cluster waits for them, over each store.",
    cases: {
      subscriptions: [
        "tell of updates to the resources that were asked for, and of no others",
        "are acknowledged before anything else is told, and each notice names its subscription",
        "tell nothing once they are closed",
        "of several listeners to one resource are independent",
      ],
      "changes of what is offered": [
        "are told, once for each list, when something is registered, disabled, enabled or removed",
        "come unasked, or only to those who listen",
      ],
    },
  },
];

/** The reason why a case is left out; undefined for one that runs. */
export function findException(suite: string, name: string): string | undefined {
  return exceptions.find(({ cases }) => cases[suite]?.includes(name))?.reason;
}
