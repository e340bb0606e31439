import { AuthorizationError } from "../../errors.ts";

/** The same response with its whole body, read. Rejects with AuthorizationError for a body that is too large. */
export async function readWhole(response: Response, maxBytes: number): Promise<Response> {
  const { status, statusText, headers } = response;
  const chunks: Uint8Array[] = [];
  let size = Number(headers.get("content-length")) > maxBytes ? Number.POSITIVE_INFINITY : 0;
  const reader = response.body?.getReader();
  while (reader && size <= maxBytes) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.byteLength;
    chunks.push(value);
  }
  if (size > maxBytes) {
    reader?.cancel().catch(() => {});
    throw new AuthorizationError(`A response is larger than ${maxBytes} bytes.`, "discovery");
  }
  const hasBody = status !== 204 && status !== 205 && status !== 304;
  const body = hasBody ? await new Blob(chunks as BlobPart[]).arrayBuffer() : null;
  return new Response(body, { status, statusText, headers });
}
