import type { Revision } from "../../protocol/revision.ts";

const site = "https://modelcontextprotocol.io/specification";

/** Pages by the first words of the methods that they are about. */
const pages: readonly (readonly [start: string, page: string])[] = [
  ["tools/", "server/tools"],
  ["notifications/tools/", "server/tools"],
  ["resources/", "server/resources"],
  ["notifications/resources/", "server/resources"],
  ["prompts/", "server/prompts"],
  ["notifications/prompts/", "server/prompts"],
  ["completion/", "server/utilities/completion"],
  ["logging/", "server/utilities/logging"],
  ["notifications/message", "server/utilities/logging"],
  ["elicitation/", "client/elicitation"],
  ["notifications/elicitation/", "client/elicitation"],
  ["sampling/", "client/sampling"],
  ["roots/", "client/roots"],
  ["notifications/roots/", "client/roots"],
];

/** The page of a revision that is about a method; `messages` stands for messages as such, `stdio` for the pipe. */
export function toPageUrl(revision: Revision, about: string): string {
  return `${site}/${revision.version}/${pageOf(revision, about)}`;
}

function pageOf(revision: Revision, about: string): string {
  const found = pages.find(([start, page]) => about.startsWith(start) && hasPage(revision, page));
  if (found) return found[1];
  const isStateless = revision.opening === "each-request";
  if (about === "stdio") return isStateless ? "basic/transports/stdio" : "basic/transports";
  const patterns = isStateless ? "basic/patterns" : "basic/utilities";
  if (about.endsWith("/progress")) return `${patterns}/progress`;
  if (about.endsWith("/cancelled")) return `${patterns}/cancellation`;
  if (about.includes("tasks") && revision.tasks === "by-sender") return "basic/utilities/tasks";
  if (about.includes("subscriptions") && isStateless) return "basic/patterns/subscriptions";
  return "basic";
}

/** True if the revision has a method that the page is about; an older one may lack the whole page. */
function hasPage({ methods }: Revision, page: string): boolean {
  const starts = pages.filter(([, other]) => other === page).map(([start]) => start);
  return [...methods.keys()].some((method) => starts.some((start) => method.startsWith(start)));
}
