import type { Terminal } from "../terminal/terminal.ts";

const chunkLength = 4_096;
const maxLength = 8 * 1024 * 1024;

/** The sequence that shows an image in terminals that can; undefined elsewhere. */
export function toInlineImage(base64: string, mimeType: string, terminal: Terminal): string | undefined {
  const { env, stdout } = terminal.streams;
  if (stdout.isTTY !== true || base64.length > maxLength || !/^[A-Za-z\d+/]+={0,2}$/.test(base64))
    return undefined;
  if (env.TERM === "xterm-kitty" || env.TERM_PROGRAM === "ghostty") {
    return mimeType === "image/png" ? toKittyImage(base64) : undefined;
  }
  const isIterm = env.TERM_PROGRAM === "iTerm.app" || env.TERM_PROGRAM === "WezTerm";
  return isIterm ? `\u001b]1337;File=inline=1;preserveAspectRatio=1:${base64}\u0007` : undefined;
}

/** sw.kovidgoyal.net/kitty/graphics-protocol: PNG data, in chunks. */
function toKittyImage(base64: string): string {
  const chunks = base64.match(new RegExp(`.{1,${chunkLength}}`, "g")) ?? [];
  return chunks
    .map((chunk, index) => {
      const keys = [...(index === 0 ? ["a=T", "f=100"] : []), `m=${index < chunks.length - 1 ? 1 : 0}`];
      return `\u001b_G${keys.join(",")};${chunk}\u001b\\`;
    })
    .join("");
}
