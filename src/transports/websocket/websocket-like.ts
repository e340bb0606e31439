/** A WebSocket of the web platform; the optional methods are those of the package `ws`. */
export interface WebSocketLike {
  readonly bufferedAmount: number;
  send(text: string): void;
  close(code?: number, reason?: string): void;
  addEventListener(type: "open", listener: () => void): void;
  addEventListener(type: "message", listener: (event: { readonly data: unknown }) => void): void;
  addEventListener(type: "close", listener: (event: WebSocketCloseEvent) => void): void;
  addEventListener(type: "error", listener: (event: object) => void): void;
  on?(event: "ping" | "pong", listener: () => void): unknown;
  ping?(): void;
  pause?(): void;
  resume?(): void;
  terminate?(): void;
}

export interface WebSocketCloseEvent {
  readonly code: number;
  readonly reason: string;
}

/** The class `WebSocket` of the platform or of the package `ws`. */
export type WebSocketConstructor = new (
  url: string,
  protocols?: string[],
  options?: { readonly headers?: Record<string, string>; readonly maxPayload?: number },
) => WebSocketLike;
