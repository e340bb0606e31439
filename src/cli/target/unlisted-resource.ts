import type { Client } from "allspeak/client";
import { didYouMean } from "../../lib/text/did-you-mean.ts";

/** Says that the server lists no resource of this URI, with the one that may have been meant; undefined if it does. */
export async function describeUnlisted(client: Client, uri: string): Promise<string | undefined> {
  if (client.server.capabilities.resources === undefined) return undefined;
  const [resources, templates] = await Promise.all([
    client.resources.list().all(),
    client.resources.templates().all(),
  ]);
  const uris = resources.map((resource) => resource.uri);
  if (uris.includes(uri) || templates.some(({ uriTemplate }) => mayMatch(uriTemplate, uri))) return undefined;
  return `The server lists no resource ${JSON.stringify(uri)}${didYouMean(uri, uris) || "."}`;
}

/** True for a URI that begins as the template does before its first variable. */
function mayMatch(template: string, uri: string): boolean {
  return uri.startsWith(template.split("{", 1)[0] ?? "");
}
