import { mkdir, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { ContentBlock, ResourceContents } from "allspeak";
import type { Terminal } from "../terminal/terminal.ts";
import { escapeLine, escapeText } from "./escape.ts";
import { toInlineImage } from "./inline-image.ts";

export interface ContentWriterOptions {
  readonly terminal: Terminal;
  /** The folder where images, sounds and other binary contents are saved. */
  readonly out?: string | undefined;
}

/** Names the folder of `ContentWriterOptions`. */
export const outOption = {
  type: "string",
  short: "o",
  value: "FOLDER",
  description: "Save images, sounds and other binary contents",
} as const;

/** Shows the content of a result for people, and saves what can't be shown. */
export class ContentWriter {
  readonly #options: ContentWriterOptions;
  #saved = 0;

  constructor(options: ContentWriterOptions) {
    this.#options = options;
  }

  async write(block: ContentBlock): Promise<void> {
    const { terminal } = this.#options;
    switch (block.type) {
      case "text":
        return terminal.print(escapeText(block.text));
      case "image":
      case "audio":
        return this.#writeBinary(block.type, block.mimeType, block.data);
      case "resource_link":
        return terminal.print(
          `${terminal.paint.cyan(escapeLine(block.uri))} ${escapeLine(block.title ?? block.name)}`,
        );
      case "resource":
        return this.writeResource(block.resource);
      default:
        return terminal.print(escapeText(JSON.stringify(block, undefined, 2)));
    }
  }

  async writeResource(contents: ResourceContents): Promise<void> {
    const { terminal } = this.#options;
    if ("text" in contents) return terminal.print(escapeText(contents.text));
    await this.#writeBinary(contents.uri, contents.mimeType ?? "application/octet-stream", contents.blob);
  }

  async #writeBinary(what: string, mimeType: string, base64: string): Promise<void> {
    const { terminal, out } = this.#options;
    const bytes = Buffer.from(base64, "base64");
    const about = escapeLine(`${what}, ${mimeType}, ${bytes.byteLength} bytes`);
    if (out !== undefined) {
      const path = await this.#save(bytes, mimeType, out);
      return terminal.print(`[${about}: saved as ${path}]`);
    }
    const image = mimeType.startsWith("image/") ? toInlineImage(base64, mimeType, terminal) : undefined;
    if (image !== undefined) return terminal.print(image);
    terminal.print(`[${about}; --out FOLDER saves it]`);
  }

  /** The name is ours: a server must not choose where a file goes. */
  async #save(bytes: Buffer, mimeType: string, out: string): Promise<string> {
    const folder = resolve(this.#options.terminal.streams.cwd, out);
    await mkdir(folder, { recursive: true });
    for (;;) {
      this.#saved++;
      const path = join(folder, `content-${this.#saved}.${extensionOf(mimeType)}`);
      try {
        await writeFile(path, bytes, { flag: "wx" });
        return path;
      } catch (error) {
        if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
      }
    }
  }
}

const extensions: Readonly<Record<string, string>> = {
  "image/jpeg": "jpg",
  "image/svg+xml": "svg",
  "audio/mpeg": "mp3",
  "application/octet-stream": "bin",
  "text/plain": "txt",
};

function extensionOf(mimeType: string): string {
  const [plain = ""] = mimeType.toLowerCase().split(";", 1);
  return extensions[plain] ?? /^\w+\/(?:x-)?([a-z\d]{1,10})$/.exec(plain)?.[1] ?? "bin";
}
