import type { OfficialClient } from "../official-client.ts";

/** One connection in one revision, for the tests of one feature. */
export interface Talk {
  readonly revision: string;
  /** Whether the revision is this one or newer. */
  readonly since: (revision: string) => boolean;
  readonly official: () => OfficialClient;
}
