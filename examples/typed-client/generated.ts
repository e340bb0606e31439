// Written by "allspeak types". Write it anew when the server changes.
import { type ClientOf, type ConnectOptions, connect, type Target } from "allspeak/client";

export type Tools = {
  readonly "convert": { readonly input: { readonly "value": number; readonly "to": "celsius" | "fahrenheit" }; readonly output: { readonly "value": number } };
};

export type Prompts = {
  readonly "explain": { readonly "unit": string };
};

export type ResourceUri = "units://all" | "units://{unit}/zero";

/** Stands for the server, so that the compiler checks names, arguments, results and URIs. */
export interface TypedServer {
  readonly "~tools"?: Tools;
  readonly "~prompts"?: Prompts;
  readonly "~resources"?: ResourceUri;
}

export function connectTyped(target: Target, options?: ConnectOptions): Promise<ClientOf<TypedServer>> {
  return connect<TypedServer>(target, options);
}
