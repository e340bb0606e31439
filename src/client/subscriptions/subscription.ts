/// <reference lib="esnext.disposable" preserve="true" />
import type { Change } from "../../contract/server-event.ts";
import { isObject, type JsonObject } from "../../lib/json.ts";
import type { OptionKinds } from "../../lib/option-check.ts";
import { tasksCapability } from "../../protocol/model/task.ts";

/** The changes that a subscription is about. */
export interface SubscriptionFilter {
  /** Changes of the list of tools. */
  readonly tools?: boolean;
  readonly prompts?: boolean;
  readonly resourceList?: boolean;
  /** Updates of these resources, by URI. */
  readonly resources?: readonly string[];
  /** The status of these tasks; it comes as `notifications/tasks`, not as a change. */
  readonly tasks?: readonly string[];
}

export const subscriptionFilterKinds: OptionKinds<SubscriptionFilter> = {
  tools: "boolean",
  prompts: "boolean",
  resourceList: "boolean",
  resources: "strings",
  tasks: "strings",
};

/** The end of a subscription. */
export interface SubscriptionEnd {
  readonly by: "client" | "server" | "connection";
  /** The error that ended it, if there was one. */
  readonly reason?: Error;
}

export interface Subscription extends AsyncDisposable {
  /** The part of the filter that the server agreed to. */
  readonly agreed: SubscriptionFilter;
  readonly ended: Promise<SubscriptionEnd>;
  close(): Promise<void>;
}

/** The capabilities that a filter needs, in the order of its members. */
export function capabilitiesFor(filter: SubscriptionFilter): string[] {
  return [
    ...(filter.tools ? ["tools.listChanged"] : []),
    ...(filter.prompts ? ["prompts.listChanged"] : []),
    ...(filter.resourceList ? ["resources.listChanged"] : []),
    ...(filter.resources?.length ? ["resources.subscribe"] : []),
    ...(filter.tasks?.length ? [tasksCapability] : []),
  ];
}

/** True for a change that the filter asks for. */
export function covers(filter: SubscriptionFilter, change: Change): boolean {
  switch (change.kind) {
    case "tools":
      return filter.tools === true;
    case "prompts":
      return filter.prompts === true;
    case "resources":
      return filter.resourceList === true;
    case "resource":
      return filter.resources?.some((uri) => isWithin(change.uri, uri)) === true;
  }
}

/**
 * True for a resource and its sub-resources, which a server may name in an update.
 *
 * schema#resourceupdatednotificationparams-uri (2025-11-25). A sub-resource follows after one of the
 * delimiters of RFC 3986, so that `file:///ab` is not within `file:///a`.
 */
function isWithin(uri: string, subscribed: string): boolean {
  if (!uri.startsWith(subscribed)) return false;
  return uri.length === subscribed.length || delimiter.test(uri.slice(subscribed.length - 1));
}

/** A delimiter at the end of the subscribed URI, or right after it. */
const delimiter = /^(?:[:/?#[\]@]|.[:/?#[\]@])/s;

export function toWireFilter(filter: SubscriptionFilter): JsonObject {
  const { tools, prompts, resourceList, resources, tasks } = filter;
  return {
    ...(tools && { toolsListChanged: true }),
    ...(prompts && { promptsListChanged: true }),
    ...(resourceList && { resourcesListChanged: true }),
    ...(resources?.length && { resourceSubscriptions: resources }),
    ...(tasks?.length && { taskIds: tasks }),
  };
}

export function fromWireFilter(filter: unknown): SubscriptionFilter {
  if (!isObject(filter)) return {};
  const { resourceSubscriptions: uris, taskIds } = filter;
  return {
    ...(filter.toolsListChanged === true && { tools: true }),
    ...(filter.promptsListChanged === true && { prompts: true }),
    ...(filter.resourcesListChanged === true && { resourceList: true }),
    ...(Array.isArray(uris) && { resources: uris.filter((uri) => typeof uri === "string") }),
    ...(Array.isArray(taskIds) && { tasks: taskIds.filter((id) => typeof id === "string") }),
  };
}
