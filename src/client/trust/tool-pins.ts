import type { Tool } from "../../protocol/model/tool.ts";

/** A tool that has changed, or whose name belongs to another tool. */
export interface HeldTool {
  readonly serverId: string;
  readonly name: string;
  /** The tool as the server lists it now. */
  readonly tool: Tool;
  /** The hash of its definition, in hexadecimal digits. */
  readonly sha256: string;
  /**
   * `changed`: another definition was remembered under this name. `collides`: another tool, of
   * this server or of another, had the name first, or one that looks the same.
   */
  readonly reason: "changed" | "collides";
  /** The difference for a person to read, line by line, without invisible characters. */
  readonly diff: readonly string[];
}

export interface PinCheckResult {
  readonly allowed: readonly Tool[];
  readonly held: readonly HeldTool[];
}

/** Remembers the definitions of tools as they were first listed. */
export interface ToolPins {
  /** Separates tools that may be used from those that are held back; remembers new ones. */
  check(serverId: string, tools: readonly Tool[]): Promise<PinCheckResult>;
  /** Remembers a tool as it is now. */
  approve(held: HeldTool): Promise<void>;
  /** Keeps tools that are held back from being listed and called through one client. */
  guard(client: GuardedClient): ToolGuard;
}

/** A client whose tools are guarded. */
export interface GuardedClient {
  readonly serverId: string;
  /** Receives an error for each tool that is held back, once. */
  readonly report: (problem: Error) => void;
  /** Lists all tools, so that each page is checked. */
  readonly list: () => Promise<unknown>;
}

/** One reading of the list of tools. */
export interface GuardedListing {
  /** The tools of a page that may be used. */
  onPage(tools: readonly Tool[]): Promise<readonly Tool[]>;
  /** Called after the last page. */
  onEnd(): void;
}

export interface ToolGuard {
  readonly held: readonly HeldTool[];
  /** Called when the server reports that its tools have changed. */
  onChange(): void;
  /** Called when a list is requested. */
  onListing(): GuardedListing;
  /** Rejects when a tool may not be called; lists the tools first if it is unknown. */
  assertAllowed(name: string, signal: AbortSignal | undefined): Promise<void>;
  /** Lets a tool through that is held back, as it is now. */
  approve(name: string): Promise<void>;
}
