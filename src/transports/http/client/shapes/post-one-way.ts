import type { HeaderRecord } from "../../../../contract/channel.ts";
import { Deadline } from "../../../../contract/deadline.ts";
import { TimeoutError } from "../../../../errors.ts";
import { discardBody } from "../fetch/authorized-fetch.ts";
import { type HttpErrorResponse, readErrorResponse } from "../fetch/error-response.ts";
import { postHeaders, type ShapeParts } from "./shape.ts";

const postMs = 60_000;

/** Posts a message that has no answer: a notification, or a response of ours. Gives the response if the server refused. */
export async function postOneWay(
  { http, openPosts }: ShapeParts,
  url: URL,
  text: string,
  headers: HeaderRecord,
): Promise<HttpErrorResponse | undefined> {
  const controller = new AbortController();
  const { signal } = controller;
  const limit = { idle: postMs, total: Number.POSITIVE_INFINITY };
  const onLate = () => controller.abort(new TimeoutError("A notification", "total", postMs));
  const deadline = new Deadline("A notification", limit, onLate);
  openPosts.add(controller);
  try {
    const response = await http.fetch("POST", url, {
      headers: { ...postHeaders, ...headers },
      body: text,
      signal,
      hold: () => deadline.hold(),
    });
    if (!response.ok) return await readErrorResponse(response, "POST", url);
    discardBody(response);
    return undefined;
  } finally {
    deadline.stop();
    openPosts.delete(controller);
  }
}
