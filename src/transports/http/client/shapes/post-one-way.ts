import type { HeaderRecord } from "../../../../contract/channel.ts";
import { Deadline } from "../../../../contract/deadline.ts";
import { type HttpError, RpcError, TimeoutError } from "../../../../errors.ts";
import { discardBody } from "../fetch/authorized-fetch.ts";
import { type HttpErrorResponse, readErrorResponse } from "../fetch/error-response.ts";
import { postHeaders, type ShapeParts } from "./shape.ts";

const tellMs = 60_000;

/** Posts what wants no answer; gives what the server sent if it refused. */
export async function postOneWay(
  { sender, openPosts: telling }: ShapeParts,
  url: URL,
  text: string,
  headers: HeaderRecord,
): Promise<HttpErrorResponse | undefined> {
  const controller = new AbortController();
  const { signal } = controller;
  const limit = { idle: tellMs, total: Number.POSITIVE_INFINITY };
  const onLate = () => controller.abort(new TimeoutError("A notification", "total", tellMs));
  const deadline = new Deadline("A notification", limit, onLate);
  telling.add(controller);
  try {
    const response = await sender.fetch("POST", url, {
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
    telling.delete(controller);
  }
}

/** A refusal as the error of whoever sent what was refused. */
export function toPostError({ failure, status, error }: HttpErrorResponse): RpcError | HttpError {
  if (failure === undefined || asksForCredentials(status)) return error;
  const { code, message, data } = failure.error;
  return new RpcError(code, message, data, { cause: error });
}

/** Statuses that matter more than what the body says: whoever obtains credentials needs them. */
export function asksForCredentials(status: number): boolean {
  return status === 401 || status === 403;
}
