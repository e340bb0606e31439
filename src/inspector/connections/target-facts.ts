import type { Client, Target } from "allspeak/client";
import type { TargetChoice, TransportName } from "../messages/connection.ts";

export interface HttpTarget {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export function isUrl(target: Target): target is HttpTarget {
  return typeof target === "object" && "url" in target;
}

export function isHttp({ url }: HttpTarget): boolean {
  return /^https?:/i.test(url);
}

export function hasCredentials({ headers = {} }: HttpTarget): boolean {
  return Object.keys(headers).some((name) => name.toLowerCase() === "authorization");
}

export function transportOf({ hint: { shape } }: Client, target: Target): TransportName {
  if (isUrl(target)) {
    if (!isHttp(target)) return "websocket";
    return shape === "sse" ? "http-sse-2024" : "streamable-http";
  }
  return typeof target === "object" && "command" in target ? "stdio" : "memory";
}

/** A target as people call it, until its server gives its name. */
export function showTarget(target: TargetChoice): string {
  switch (target.kind) {
    case "url":
      return target.url;
    case "command":
      return [target.command, ...(target.args ?? [])].join(" ");
    case "module":
      return target.path;
    case "recording":
      return target.recording;
    default:
      return target.name;
  }
}
