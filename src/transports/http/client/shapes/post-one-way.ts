import type { HeaderRecord } from "../../../../contract/channel.ts";
import { Deadline } from "../../../../contract/deadline.ts";
import { TimeoutError } from "../../../../errors.ts";
import { sleep } from "../../../../lib/async/sleep.ts";
import { type HttpErrorResponse, readErrorResponse } from "../fetch/error-response.ts";
import { isOk } from "../http-exchange.ts";
import { retryAfterMs } from "../recovery/retry-after.ts";
import { RetryDelay } from "../recovery/retry-delay.ts";
import { postHeaders, type ShapeParts } from "./shape-interface.ts";

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
  const delay = new RetryDelay();
  openPosts.add(controller);
  try {
    for (;;) {
      const response = await http.fetch("POST", url, {
        headers: [postHeaders, headers],
        body: text,
        signal,
        hold: () => deadline.hold(),
      });
      if (isOk(response)) return response.discardBody() as undefined;
      const errorResponse = await readErrorResponse(response, "POST", url);
      const waitMs = retryAfterMs(errorResponse, deadline.timeLeft);
      if (waitMs === undefined) return errorResponse;
      await sleep(delay.next(waitMs), signal);
    }
  } finally {
    deadline.stop();
    openPosts.delete(controller);
  }
}
