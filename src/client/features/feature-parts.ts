import type { toNameError } from "../first-argument.ts";
import type { Notifications } from "../incoming/notifications.ts";
import type { Requests } from "../requests.ts";
import type { Rounds } from "../rounds.ts";
import type { ValidItems } from "./valid-items.ts";

/** The parts that the features of one client share: how requests go out, and how answers are read. */
export interface FeatureParts {
  readonly requests: Requests;
  readonly rounds: Rounds;
  readonly validItems: ValidItems;
  readonly notifications: Notifications;
}

/** The error of a call without a name. Loaded on demand: it explains a mistake. */
export async function nameError(...given: Parameters<typeof toNameError>): Promise<Error> {
  const first = await import("../first-argument.ts");
  return first.toNameError(...given);
}
