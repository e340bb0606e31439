// Written by "allspeak types". Write it anew when the server changes.
import { type Client, type ConnectOptions, connect, type Target, type ToolsOf } from "allspeak/client";

export type Tools = {
  readonly "convert": { readonly input: { readonly "value": number; readonly "to": "celsius" | "fahrenheit" }; readonly output: { readonly "value": number } };
};

export type Prompts = {

};

export type ResourceUri = never;

/** Stands for the server, so that the compiler checks names, arguments and results. */
export interface TypedServer {
  readonly "~tools"?: Tools;
}

export function connectTyped(target: Target, options?: ConnectOptions): Promise<Client<ToolsOf<TypedServer>>> {
  return connect<TypedServer>(target, options);
}
