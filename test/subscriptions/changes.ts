import type { Change } from "allspeak";
import type { Subscription } from "allspeak/client";
import type { Opened } from "../matrix/place.ts";

const everything = { tools: true, prompts: true, resourceList: true };
const last = "fixture://notes";

/** The changes that a client learns of while it makes the server change; an update of a resource is the last. */
export async function changesDuring({ client }: Opened, change: () => Promise<unknown>): Promise<Change[]> {
  const changes: Change[] = [];
  let finish = () => {};
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const subscription = await client.subscribe({ ...everything, resources: [last] }, (each) => {
    if (each.kind === "resource") finish();
    else changes.push(each);
  });
  await change();
  await client.tools.call("touch", { uri: last });
  await finished;
  await subscription.close();
  return changes;
}

/** Everything that a subscription has reported once the last update that was asked for has arrived. */
export async function changesOf(
  { client }: Opened,
  uris: readonly string[],
  touched: readonly string[],
): Promise<{ changes: Change[]; subscription: Subscription }> {
  const changes: Change[] = [];
  const awaited = touched.filter((uri) => uris.includes(uri)).length;
  let finish = () => {};
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const subscription = await client.subscribe({ resources: uris }, (change) => {
    changes.push(change);
    if (changes.length === awaited) finish();
  });
  for (const uri of touched) await client.tools.call("touch", { uri });
  if (awaited > 0) await finished;
  await client.tools.call("nothing");
  return { changes, subscription };
}
