import type { OpenOptions } from "../../../../contract/transport.ts";
import type { HttpClientSettings } from "../options.ts";

type Fetch = HttpClientSettings["fetch"];

/** A fetch whose requests and responses are shown; their messages are shown where they are read. */
export function showFetch(fetch: Fetch, show: NonNullable<OpenOptions["showHead"]>): Fetch {
  return async (input, init) => {
    show({ line: `${init?.method ?? "GET"} ${input}`, headers: new Headers(init?.headers) }, "sent");
    const response = await fetch(input, init);
    show({ line: `${response.status}`, headers: response.headers }, "received");
    return response;
  };
}
