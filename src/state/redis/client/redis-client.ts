import { Commands } from "./commands.ts";
import type { RedisConnector } from "./connection.ts";
import type { Script } from "./script.ts";
import { type ChannelListener, ChannelSubscriptions } from "./subscriptions.ts";

/** The part of a Redis client that the stores need, whatever package it is of. */
export class RedisClient {
  readonly #commands: Commands;
  readonly #subscriptions: ChannelSubscriptions;

  constructor({ openForCommands, openForChannels }: RedisConnector) {
    this.#commands = new Commands(openForCommands);
    this.#subscriptions = new ChannelSubscriptions(openForChannels);
  }

  /** Commands of one turn go out together. */
  command(...args: readonly string[]): Promise<unknown> {
    return this.#commands.send(args);
  }

  /** Runs a script by its name; with its text where Redis does not know it yet. */
  async script(script: Script, keys: readonly string[], args: readonly string[]): Promise<unknown> {
    const rest = [String(keys.length), ...keys, ...args];
    try {
      return await this.#commands.send(["EVALSHA", script.sha ?? (await script.load()), ...rest]);
    } catch (error) {
      if (!(error instanceof Error) || !error.message.startsWith("NOSCRIPT")) throw error;
      return this.#commands.send(["EVAL", script.text, ...rest]);
    }
  }

  /** Returns the function that stops it. */
  subscribe(channel: string, listener: ChannelListener): () => void {
    return this.#subscriptions.add(channel, listener);
  }

  close(): void {
    this.#commands.close();
    this.#subscriptions.close();
  }
}
