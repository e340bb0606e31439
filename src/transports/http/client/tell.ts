import { Deadline } from "../../../peer/deadline.ts";
import { type HttpError, RpcError, TimeoutError } from "../../../protocol/errors.ts";
import type { HeaderRecord } from "./http-client-options.ts";
import { type LineParts, postHeaders } from "./line.ts";
import { type Refusal, readRefusal } from "./refusal.ts";
import { discard } from "./sender.ts";

const tellMs = 60_000;

/** Posts what wants no answer; gives what the server sent if it refused. */
export async function postWithoutAnswer(
  { sender, telling }: LineParts,
  url: URL,
  text: string,
  headers: HeaderRecord,
): Promise<Refusal | undefined> {
  const controller = new AbortController();
  const { signal } = controller;
  const limit = { idle: tellMs, total: Number.POSITIVE_INFINITY };
  const onLate = () => controller.abort(new TimeoutError("A notification", "total", tellMs));
  const deadline = new Deadline("A notification", limit, onLate);
  telling.add(controller);
  try {
    const response = await sender.send("POST", url, {
      headers: { ...postHeaders, ...headers },
      body: text,
      signal,
      hold: () => deadline.hold(),
    });
    if (!response.ok) return await readRefusal(response, "POST", url);
    discard(response);
    return undefined;
  } finally {
    deadline.stop();
    telling.delete(controller);
  }
}

/** A refusal as the error of whoever sent what was refused. */
export function toError({ failure, status, error }: Refusal): RpcError | HttpError {
  if (failure === undefined || asksForCredentials(status)) return error;
  const { code, message, data } = failure.error;
  return new RpcError(code, message, data, { cause: error });
}

/** Statuses that matter more than what the body says: whoever obtains credentials needs them. */
export function asksForCredentials(status: number): boolean {
  return status === 401 || status === 403;
}
