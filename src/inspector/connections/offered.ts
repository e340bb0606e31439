import type { UrlTarget } from "../../client/connect/url-target.ts";
import type { Servable } from "../../contract/service.ts";
import type { StdioCommand } from "../../transports/stdio/stdio-command.ts";
import type { OfferedServer } from "../messages/connection.ts";

/** A server that the inspector offers at the start. It was handed in by a program, so that nobody is asked about it. */
export interface Offer {
  /** A server value, an address, or a command. */
  readonly target: Servable | StdioCommand | UrlTarget;
  /** Default: its name. */
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  /** Connects to it as soon as the page is open. */
  readonly isFirst?: boolean | undefined;
}

export type Offers = Readonly<Record<string, Offer>>;

export function toOfferedServers(offers: Offers): OfferedServer[] {
  return Object.entries(offers).map(([name, { target, title = name, description, isFirst }]) => ({
    name,
    title,
    ...(description !== undefined && { description }),
    ...("url" in target && { url: String(target.url) }),
    ...(isFirst && { isFirst }),
  }));
}

export function findOffer(offers: Offers, name: string): Offer | undefined {
  return Object.hasOwn(offers, name) ? offers[name] : undefined;
}
