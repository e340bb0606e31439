import { platform } from "#platform";
import { assertOptions } from "../../../contract/options.ts";
import type { Transport } from "../../../contract/transport.ts";
import { UsageError } from "../../../errors.ts";
import { showUrl } from "../../../lib/text/show-url.ts";
import { type HttpClientOptions, httpClientOptionKinds, toClientSettings } from "./options.ts";

/** Reaches a server over Streamable HTTP, or HTTP+SSE if it knows only that. */
export function httpTransport(url: string | URL, options: HttpClientOptions = {}): Transport {
  assertOptions("httpTransport", options, httpClientOptionKinds);
  const target = toUrl(url);
  const settings = toClientSettings(options);
  return {
    kind: "http",
    address: showUrl(target),
    async open(opening) {
      // Loaded when needed: a client of other transports does not carry it.
      const { HttpChannel } = await import("./channel.ts");
      const send = await platform.openSender(target, settings.fetch);
      return new HttpChannel(target, { ...settings, send }, opening);
    },
  };
}

function toUrl(given: string | URL): URL {
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw new UsageError(`${JSON.stringify(String(given))} is not an http or https URL.`);
  if (url.username !== "" || url.password !== "")
    throw new UsageError("Credentials can't be part of the URL; pass them in headers.");
  url.hash = "";
  return url;
}
