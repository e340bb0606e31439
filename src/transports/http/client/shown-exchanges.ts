import type { OpenOptions } from "../../../contract/transport.ts";
import type { SendRequest } from "./http-exchange.ts";

/** Shows the heads of requests and responses; their messages are shown where they are read. */
export function showExchanges(send: SendRequest, show: NonNullable<OpenOptions["showHead"]>): SendRequest {
  return async (url, request) => {
    show({ line: `${request.method} ${url}`, headers: new Headers(request.headers) }, "sent");
    const response = await send(url, request);
    show({ line: `${response.status}`, headers: response.toHead().headers }, "received");
    return response;
  };
}
