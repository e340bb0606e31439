import type { HeaderRecord } from "../../contract/channel.ts";
import { assertOptions, type OptionKinds } from "../../contract/options.ts";
import { UsageError } from "../../errors.ts";
import type { HttpClientOptions } from "../../transports/http/client/options.ts";

/** A server behind a URL, in the form in which hosts keep it in their files. */
export interface UrlTarget {
  readonly url: string | URL;
  /** Headers for every request, on top of the option of this name. */
  readonly headers?: HeaderRecord | undefined;
  /** Such as `"http"` or `"sse"`. Makes no difference: the version of the transport is found out. */
  readonly type?: string | undefined;
}

const urlTargetKinds: OptionKinds<UrlTarget> = { url: "any", headers: "object", type: "string" };

/** The URL of a target; throws UsageError for one that no transport takes. */
export function checkUrl(target: UrlTarget): string {
  if ("close" in target)
    throw new UsageError("connect takes the URL of a running server: connect(running.url).");
  assertOptions("A server behind a URL", target, urlTargetKinds);
  const url = String(target.url);
  if (/^(?:https?|wss?):\/\//i.test(url)) return url;
  throw new UsageError("The url of a server must begin with http://, https://, ws:// or wss://.");
}

/** The options with the headers of the target, which have priority. */
export function addHeaders(options: HttpClientOptions, { headers: own }: UrlTarget): HttpClientOptions {
  const { headers } = options;
  if (typeof headers !== "function") return { ...options, headers: { ...headers, ...own } };
  return { ...options, headers: async () => ({ ...(await headers()), ...own }) };
}
