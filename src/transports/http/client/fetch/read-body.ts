import { InvalidResponseError, MessageTooLargeError } from "../../../../errors.ts";
import { ByteCollector } from "../../../../lib/encoding/bytes.ts";
import { decodeUtf8 } from "../../../../lib/encoding/utf8.ts";
import type { RequestId } from "../../../../protocol/message.ts";
import { discardBody } from "./authorized-fetch.ts";

/** The media type of an answer, without parameters. */
export function mediaTypeOf({ headers }: Response): string {
  return (headers.get("content-type") ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";
}

export interface MessageBody {
  readonly maxBytes: number;
  /** The request that it answers. */
  readonly id: RequestId;
  /** Called with every piece that arrives. */
  onActivity?(): void;
}

/** The whole body as text, which must fit and be UTF-8. */
export async function readMessage(response: Response, message: MessageBody): Promise<string> {
  const { maxBytes, id } = message;
  const body = await readBytes(response, maxBytes, () => message.onActivity?.());
  if (body.size > maxBytes) throw new MessageTooLargeError(maxBytes, id);
  const text = decodeUtf8(body.join());
  if (text === undefined) throw new InvalidResponseError("An answer is not valid UTF-8.");
  return text;
}

/** The beginning of an error body. Never rejects. */
export async function readExcerpt(response: Response, maxBytes: number): Promise<string> {
  try {
    return new TextDecoder().decode((await readBytes(response, maxBytes)).join());
  } catch {
    // The status is enough.
    return "";
  }
}

/** At most one chunk more than `maxBytes`. */
async function readBytes(
  response: Response,
  maxBytes: number,
  onActivity: () => void = () => {},
): Promise<ByteCollector> {
  const bytes = new ByteCollector();
  if (response.body === null) return bytes;
  const reader = response.body.getReader();
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    onActivity();
    bytes.add(next.value);
    if (bytes.size > maxBytes) break;
  }
  reader.releaseLock();
  if (bytes.size > maxBytes) discardBody(response);
  return bytes;
}
