import { type Client, RpcError } from "allspeak/client";
import { didYouMean } from "../../../lib/text/did-you-mean.ts";

/**
 * The message that the server lists no resource of this URI, with the one that may have been meant; undefined if it does, or
 * if it has no list to give.
 */
export async function describeUnlisted(client: Client, uri: string): Promise<string | undefined> {
  if (client.server.capabilities.resources === undefined) return undefined;
  const [resources, templates] = await Promise.all([
    knownItems(client.resources.list()),
    knownItems(client.resources.templates()),
  ]);
  if (resources === undefined || templates === undefined) return undefined;
  const uris = resources.map((resource) => resource.uri);
  if (uris.includes(uri) || templates.some(({ uriTemplate }) => mayMatch(uriTemplate, uri))) return undefined;
  return `The server lists no resource ${JSON.stringify(uri)}${didYouMean(uri, uris) || "."}`;
}

/** The items of a list that only a hint needs: undefined where the server refuses it. */
export async function knownItems<Item>(list: {
  all(): Promise<readonly Item[]>;
}): Promise<readonly Item[] | undefined> {
  try {
    return await list.all();
  } catch (error) {
    if (error instanceof RpcError) return undefined;
    throw error;
  }
}

/** True for a URI that begins as the template does before its first variable. */
function mayMatch(template: string, uri: string): boolean {
  return uri.startsWith(template.split("{", 1)[0] ?? "");
}
