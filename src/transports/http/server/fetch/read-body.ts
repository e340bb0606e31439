import type { HolderSource } from "../../../../contract/caller/holder.ts";
import { concatBytes } from "../../../../lib/encoding/bytes.ts";
import {
  type BodyLimits,
  type BodyText,
  bodyLost,
  bodyRefused,
  bodyTooLarge,
  bodyTooSlow,
  toBodyText,
  UnfinishedBody,
} from "../request/body-limits.ts";

/** Reads the body of a request, as far as the limits let it. */
export async function readFetchBody(
  { body, bodyUsed, headers }: Request,
  limits: BodyLimits,
  caller: HolderSource,
): Promise<BodyText> {
  if (bodyUsed) return bodyLost;
  if (body === null) return { ok: true, text: "" };
  const declared = Number(headers.get("content-length") ?? Number.NaN);
  if (declared > limits.maxBodyBytes) return bodyTooLarge(limits);
  const reader = body.getReader();
  let refusal: BodyText | undefined;
  const refuse = (reason: BodyText) => {
    refusal = reason;
    void reader.cancel().catch(() => {});
  };
  const wait = limits.bodyDeadline.start(() => refuse(bodyTooSlow(limits)));
  const unfinished = new UnfinishedBody(limits, caller, () => refuse(bodyRefused));
  try {
    const read = await collect(reader, limits, (bytes) => bytes === declared || unfinished.hold(bytes));
    return refusal ?? read;
  } catch {
    return bodyLost;
  } finally {
    wait.stop();
    unfinished.release();
  }
}

async function collect(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  limits: BodyLimits,
  hold: (bytes: number) => boolean,
): Promise<BodyText> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for (let { done, value } = await reader.read(); !done && value; { done, value } = await reader.read()) {
    bytes += value.length;
    if (bytes > limits.maxBodyBytes || !hold(bytes)) {
      void reader.cancel().catch(() => {});
      return bytes > limits.maxBodyBytes ? bodyTooLarge(limits) : bodyRefused;
    }
    chunks.push(value);
  }
  return toBodyText(concatBytes(chunks));
}
