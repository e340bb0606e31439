import { Announcements } from "../../cluster/announcements.ts";
import type { Service } from "../../contract/service.ts";
import { scopeState } from "../../state/scoped-state.ts";
import type { State } from "../../state/state.ts";

/**
 * Sends the changes of a server that serves nobody in this process, such as `server.resources.updated(uri)`, to the
 * workers that do. Returns the function that ends it.
 */
export async function announceChanges(service: Service, state: State): Promise<() => Promise<void>> {
  const report = (message: string, cause: unknown) => service.report(message, cause);
  const { events, values } = scopeState(state, service.name);
  const announcements = new Announcements({ events, values, report });
  const shared = (await service.forNodes()).shareEvents({
    through: state,
    publish: (event) => announcements.add(event),
    // Nobody listens here.
    follow: () => Promise.resolve(),
  });
  return async () => {
    shared.stop();
    await announcements.close();
  };
}
