import { isObject } from "../../lib/json.ts";
import { type Check, checkObject, checkString, listOf, members, oneOf, optional } from "./check.ts";

/** The members without which an item of a list is of no use. */
export const checkTool: Check = members({
  name: checkString,
  inputSchema: checkObject,
  description: optional(checkString),
});
export const checkResource: Check = members({ uri: checkString, name: checkString });
export const checkResourceTemplate: Check = members({ uriTemplate: checkString, name: checkString });
export const checkPrompt: Check = members({
  name: checkString,
  arguments: optional(listOf(members({ name: checkString }))),
});
export const checkRoot: Check = members({ uri: checkString });

export const checkResourceContents: Check = (value) => {
  if (!isObject(value)) return " must be an object";
  if (typeof value.uri !== "string") return ".uri must be a string";
  if (typeof value.text === "string" || typeof value.blob === "string") return undefined;
  return " needs text or blob";
};

const contentChecks: { readonly [type: string]: Check } = {
  text: members({ text: checkString }),
  image: members({ data: checkString, mimeType: checkString }),
  audio: members({ data: checkString, mimeType: checkString }),
  resource_link: checkResource,
  resource: members({ resource: checkResourceContents }),
};

/** The kinds of content that a revision has. */
export const contentKinds: readonly string[] = /* @__PURE__ */ Object.keys(contentChecks);

/** True for an object of a kind of content that a revision has, whole or not. */
export function isKnownContent(value: unknown): boolean {
  return isObject(value) && typeof value.type === "string" && Object.hasOwn(contentChecks, value.type);
}

/** Accepts kinds of content that no revision has: they are between the two programs. */
export const checkContent: Check = (value) => {
  if (!isObject(value)) return " must be an object";
  if (typeof value.type !== "string") return ".type must be a string";
  return Object.hasOwn(contentChecks, value.type) ? contentChecks[value.type]?.(value) : undefined;
};

export const checkPromptMessage: Check = members({ role: oneOf("user", "assistant"), content: checkContent });
