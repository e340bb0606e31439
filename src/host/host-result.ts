import type { JsonObject } from "../lib/json.ts";
import type { ContentBlock } from "../protocol/model/content.ts";
import type { CallToolResult } from "../protocol/model/tool.ts";
import { toText } from "./models/result-text.ts";

/** The result of a call, for the model to read, also where it failed. */
export class HostResult implements CallToolResult {
  readonly content: readonly ContentBlock[];
  readonly structuredContent?: unknown;
  readonly isError: boolean;
  readonly _meta?: JsonObject;
  /** The reason why there is no result of the tool itself; for the host, not for the model. */
  readonly error: Error | undefined;

  constructor(result: CallToolResult, error?: Error) {
    const { content, structuredContent, isError, _meta } = result;
    this.content = content;
    this.isError = isError === true;
    this.error = error;
    if (structuredContent !== undefined) this.structuredContent = structuredContent;
    if (_meta !== undefined) this._meta = _meta;
  }

  /** A failure that the model reads as text. */
  static failure(text: string, error?: Error): HostResult {
    return new HostResult({ content: [{ type: "text", text }], isError: true }, error);
  }

  /** Everything as text: images and audio are named, links and resources are shown with their URI. */
  get text(): string {
    return toText(this);
  }
}
