import { InvalidResponseError, MessageTooLargeError } from "../../../../errors.ts";
import { ByteCollector } from "../../../../lib/encoding/bytes.ts";
import { decodeUtf8 } from "../../../../lib/encoding/utf8.ts";
import type { RequestId } from "../../../../protocol/message.ts";
import type { ReceivedResponse } from "../http-exchange.ts";

export interface MessageBody {
  readonly maxBytes: number;
  /** The request that it answers. */
  readonly id: RequestId;
  /** Called with every piece that arrives. */
  onActivity?(): void;
}

/** The whole body as text, which must fit and be UTF-8. */
export async function readMessage(response: ReceivedResponse, message: MessageBody): Promise<string> {
  const { maxBytes, id } = message;
  const body = await readBytes(response, maxBytes, () => message.onActivity?.());
  if (body.size > maxBytes) throw new MessageTooLargeError(maxBytes, id);
  const text = decodeUtf8(body.join());
  if (text === undefined) throw new InvalidResponseError("An answer is not valid UTF-8.");
  return text;
}

/** The beginning of an error body. Never rejects. */
export async function readExcerpt(response: ReceivedResponse, maxBytes: number): Promise<string> {
  try {
    return new TextDecoder().decode((await readBytes(response, maxBytes)).join());
  } catch {
    // The status is enough.
    return "";
  }
}

/** At most one chunk more than `maxBytes`. */
async function readBytes(
  response: ReceivedResponse,
  maxBytes: number,
  onActivity: () => void = () => {},
): Promise<ByteCollector> {
  const bytes = new ByteCollector();
  await response.readBody((piece) => {
    onActivity();
    bytes.add(piece);
    if (bytes.size > maxBytes) response.discardBody();
  });
  return bytes;
}
