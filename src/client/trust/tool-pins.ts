import type { Tool } from "../../protocol/model/tool.ts";

/** A tool that is not what it was, or that has a name which is another's. */
export interface HeldTool {
  readonly serverId: string;
  readonly name: string;
  /** As it is now. */
  readonly tool: Tool;
  /** Of its definition, in hexadecimal digits. */
  readonly sha256: string;
  /**
   * `changed`: another definition was remembered under this name. `collides`: another tool, of
   * this server or of another, had the name first, or one that looks the same.
   */
  readonly reason: "changed" | "collides";
  /** What to show a person, line by line, with nothing in it that can't be seen. */
  readonly diff: readonly string[];
}

export interface PinCheckResult {
  readonly allowed: readonly Tool[];
  readonly held: readonly HeldTool[];
}

/** Remembers what tools were when they were first seen. */
export interface ToolPins {
  /** Tells tools that may be used from those that are held back; remembers those seen for the first time. */
  check(serverId: string, tools: readonly Tool[]): Promise<PinCheckResult>;
  /** Remembers a tool as it is now. */
  approve(held: HeldTool): Promise<void>;
  /** Keeps tools that are held back from being listed and called through one client. */
  guard(client: GuardedClient): ToolGuard;
}

/** What is known of a client whose tools are watched. */
export interface GuardedClient {
  readonly serverId: string;
  /** Told of each tool that is held back, once. */
  readonly report: (problem: Error) => void;
  /** Lists all tools, and has each page looked at. */
  readonly list: () => Promise<unknown>;
}

/** One reading of the list of tools. */
export interface GuardedListing {
  /** The tools of a page that may be used. */
  onPage(tools: readonly Tool[]): Promise<readonly Tool[]>;
  /** All pages were read. */
  onEnd(): void;
}

export interface ToolGuard {
  readonly held: readonly HeldTool[];
  /** The server says that its tools have changed. */
  onChange(): void;
  /** The list is being asked for. */
  onListing(): GuardedListing;
  /** Rejects when a tool may not be called; lists the tools first where that is not known. */
  assertAllowed(name: string, signal: AbortSignal | undefined): Promise<void>;
  /** Lets a tool through that is held back, as it is now. */
  approve(name: string): Promise<void>;
}
