import { type Bytes, concatBytes } from "../lib/encoding/bytes.ts";

export async function deflate(bytes: Bytes): Promise<Bytes> {
  return concatBytes(await read(bytes, new CompressionStream("deflate-raw"), Number.POSITIVE_INFINITY));
}

/** Rejects when the bytes are broken, or make more than `maxBytes`. */
export async function inflate(bytes: Bytes, maxBytes: number): Promise<Bytes> {
  return concatBytes(await read(bytes, new DecompressionStream("deflate-raw"), maxBytes));
}

async function read(bytes: Bytes, through: GenericTransformStream, maxBytes: number): Promise<Bytes[]> {
  const chunks: Bytes[] = [];
  let length = 0;
  // Leaving the loop early cancels the stream, and with it the rest of the work.
  for await (const chunk of new Blob([bytes]).stream().pipeThrough(through)) {
    length += chunk.length;
    if (length > maxBytes) throw new RangeError(`More than ${maxBytes} bytes.`);
    chunks.push(chunk);
  }
  return chunks;
}
