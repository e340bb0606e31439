/**
 * A port that posts and receives messages: a `MessagePort`, a `Worker`, or the inside of a
 * worker, of the web platform or of Node.
 */
export interface PortLike {
  postMessage(message: string): void;
  addEventListener?(type: string, listener: (event: object) => void): void;
  removeEventListener?(type: string, listener: (event: object) => void): void;
  on?(type: string, listener: (value: unknown) => void): unknown;
  off?(type: string, listener: (value: unknown) => void): unknown;
  /** Only of a `MessagePort`. */
  start?(): void;
  close?(): void;
}

/** Adds listeners to a port; returns the function that removes them. */
export function listenToPort(port: PortLike, listeners: PortListeners): () => void {
  const entries = Object.entries({
    close: listeners.onClose,
    // The event of Node's workers for their end.
    exit: listeners.onClose,
    messageerror: listeners.onUnreadable,
  });
  if (port.addEventListener) {
    const onEvent = (event: object): void => listeners.onMessage("data" in event ? event.data : event);
    port.addEventListener("message", onEvent);
    for (const [type, listener] of entries) port.addEventListener(type, listener);
    return () => {
      port.removeEventListener?.("message", onEvent);
      for (const [type, listener] of entries) port.removeEventListener?.(type, listener);
    };
  }
  port.on?.("message", listeners.onMessage);
  for (const [type, listener] of entries) port.on?.(type, listener);
  return () => {
    port.off?.("message", listeners.onMessage);
    for (const [type, listener] of entries) port.off?.(type, listener);
  };
}

export interface PortListeners {
  readonly onMessage: (data: unknown) => void;
  readonly onUnreadable: () => void;
  readonly onClose: () => void;
}
