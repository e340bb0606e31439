/** One step of finding out how to be let in by a server, without secrets. */
export interface AuthHop {
  /** What was done: `"resource-metadata"`, `"token"`, `"refresh"`. */
  readonly step: string;
  /** The address that was asked, without its query. */
  readonly url?: string;
  readonly outcome: "ok" | "absent" | "refused" | "failed";
  readonly detail?: string;
}
