// String.fromCharCode takes its arguments on the stack.
const chunkSize = 0x8000;

/** Base64 of bytes; text is taken to be base64 already. */
export function toBase64(data: string | Uint8Array): string {
  if (typeof data === "string") return data;
  let binary = "";
  for (let at = 0; at < data.length; at += chunkSize) {
    binary += String.fromCharCode(...data.subarray(at, at + chunkSize));
  }
  return btoa(binary);
}
