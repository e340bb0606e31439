import { type Client, type ConnectOptions, connect, type Target } from "allspeak/client";

/** Connects, and remembers the methods of what our client sent. */
export async function connectListening(
  target: Target,
  options: ConnectOptions = {},
): Promise<{ client: Client; sent: string[] }> {
  const sent: string[] = [];
  const client = await connect(target, {
    ...options,
    onMessage: (message, direction) => {
      if (direction === "sent" && "method" in message) sent.push(String(message.method));
    },
  });
  return { client, sent };
}
