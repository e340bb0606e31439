/// <reference lib="esnext.disposable" preserve="true" />
import { assertOptions, type OptionKinds } from "../contract/options.ts";
import { type Servable, serviceOf } from "../contract/service.ts";
import { OverloadedError, UsageError } from "../errors.ts";
import { scopeState } from "../state/scoped-state.ts";
import type { State } from "../state/state.ts";
import { withAvailability } from "../state/store-availability.ts";
import { Announcements } from "./announcements.ts";

export interface PublishChangesOptions {
  /** The state that the nodes share which serve the server. */
  readonly state: State;
}

const publishOptionKinds: OptionKinds<PublishChangesOptions> = { state: "object" };

/** A process that announces the changes of a server to the nodes that serve it. */
export interface ChangePublisher extends AsyncDisposable {
  /** Stores what was announced, and announces no more. Rejects with OverloadedError when the store does not take it. */
  close(): Promise<void>;
}

/**
 * Announces the events of a server value in this process to all nodes that serve the server: `resources.updated`,
 * `resources.changed`, changed lists, `completeElicitation` and `log`. For a process that serves nobody: a job, a web hook.
 *
 * The server value needs the same name as theirs, and no tools or resources.
 */
export async function publishChanges(
  server: Servable,
  options: PublishChangesOptions,
): Promise<ChangePublisher> {
  const service = serviceOf("publishChanges", server);
  assertOptions("publishChanges", options, publishOptionKinds);
  if (!options.state?.isShared)
    throw new UsageError(
      "publishChanges needs a state that other processes share; memory belongs to this one alone.",
    );
  const state = scopeState(withAvailability(options.state), service.name);
  const { events, values } = state;
  const report = (message: string, cause: unknown) => service.report(message, cause);
  const announcements = new Announcements({ events, values, report });
  const shared = (await service.forNodes()).shareEvents({
    through: state,
    publish: (event) => announcements.add(event),
    // Nobody is served, so that nobody listens.
    follow: async () => {},
  });
  const close = async () => {
    shared.stop();
    if (!(await announcements.close()))
      throw new OverloadedError("Some changes were not announced: the store did not take them.");
  };
  return { close, [Symbol.asyncDispose]: close };
}
