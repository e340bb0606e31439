import { InvalidResponseError, MessageTooLargeError } from "../../../../errors.ts";
import { concatBytes } from "../../../../lib/bytes.ts";
import { decodeUtf8 } from "../../../../lib/utf8.ts";
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
  const body = await readChunks(response, maxBytes, () => message.onActivity?.());
  if (body.size > maxBytes) throw new MessageTooLargeError(maxBytes, id);
  const text = decodeUtf8(concatBytes(body.chunks));
  if (text === undefined) throw new InvalidResponseError("An answer is not valid UTF-8.");
  return text;
}

/** The beginning of an error body. Never rejects. */
export async function readExcerpt(response: Response, maxBytes: number): Promise<string> {
  try {
    return new TextDecoder().decode(concatBytes((await readChunks(response, maxBytes)).chunks));
  } catch {
    // The status is enough.
    return "";
  }
}

interface Chunks {
  readonly chunks: readonly Uint8Array[];
  readonly size: number;
}

/** At most one chunk more than `maxBytes`. */
async function readChunks(
  response: Response,
  maxBytes: number,
  onActivity: () => void = () => {},
): Promise<Chunks> {
  if (response.body === null) return { chunks: [], size: 0 };
  const reader = response.body.getReader();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    onActivity();
    chunks.push(next.value);
    size += next.value.length;
    if (size > maxBytes) break;
  }
  reader.releaseLock();
  if (size > maxBytes) discardBody(response);
  return { chunks, size };
}
