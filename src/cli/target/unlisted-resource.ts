import type { Client } from "allspeak/client";
import { didYouMean } from "../../lib/text/did-you-mean.ts";
import { parseUriTemplate } from "../../protocol/uri-template/uri-template.ts";

/** Says that the server lists no resource of this URI, with the one that may have been meant; undefined if it does. */
export async function describeUnlisted(client: Client, uri: string): Promise<string | undefined> {
  if (client.server.capabilities.resources === undefined) return undefined;
  const [resources, templates] = await Promise.all([
    client.resources.list().all(),
    client.resources.templates().all(),
  ]);
  const uris = resources.map((resource) => resource.uri);
  if (uris.includes(uri) || templates.some(({ uriTemplate }) => matches(uriTemplate, uri))) return undefined;
  return `The server lists no resource ${JSON.stringify(uri)}${didYouMean(uri, uris) || "."}`;
}

function matches(template: string, uri: string): boolean {
  try {
    return parseUriTemplate(template).match(uri) !== undefined;
  } catch {
    // A template of a server that can't be read says nothing about the URI.
    return true;
  }
}
