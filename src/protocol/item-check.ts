import { type Check, isRecord, isString, listOf, members, oneOf, optional } from "./check.ts";
import { isObject } from "./json.ts";

/** What must hold of an item in a list for the item to be of use. */
export const checkTool: Check = members({
  name: isString,
  inputSchema: isRecord,
  description: optional(isString),
});
export const checkResource: Check = members({ uri: isString, name: isString });
export const checkResourceTemplate: Check = members({ uriTemplate: isString, name: isString });
export const checkPrompt: Check = members({
  name: isString,
  arguments: optional(listOf(members({ name: isString }))),
});
export const checkRoot: Check = members({ uri: isString });

export const checkResourceContents: Check = (value) => {
  if (!isObject(value)) return " must be an object";
  if (typeof value.uri !== "string") return ".uri must be a string";
  if (typeof value.text === "string" || typeof value.blob === "string") return undefined;
  return " needs text or blob";
};

const contentChecks: { readonly [type: string]: Check } = {
  text: members({ text: isString }),
  image: members({ data: isString, mimeType: isString }),
  audio: members({ data: isString, mimeType: isString }),
  resource_link: checkResource,
  resource: members({ resource: checkResourceContents }),
};

/** Kinds of content that nobody here knows pass as they are. */
export const checkContent: Check = (value) => {
  if (!isObject(value)) return " must be an object";
  if (typeof value.type !== "string") return ".type must be a string";
  return Object.hasOwn(contentChecks, value.type) ? contentChecks[value.type]?.(value) : undefined;
};

export const checkPromptMessage: Check = members({ role: oneOf("user", "assistant"), content: checkContent });
