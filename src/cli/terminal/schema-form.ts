import { isObject, type JsonObject } from "../../lib/json.ts";
import { coerceText } from "../arguments/coerce.ts";
import { propertiesOf, requiredOf, resolveReference } from "../arguments/schema-view.ts";
import { escapeLine } from "../show/escape.ts";
import type { Choice, Prompts } from "./prompts.ts";

/** Asks for the members of an object schema that are not given yet, those that are required first. */
export async function askForm(
  schema: JsonObject,
  given: JsonObject,
  prompts: Prompts,
  options: { readonly onlyRequired?: boolean } = {},
): Promise<JsonObject> {
  const properties = propertiesOf(schema);
  const required = requiredOf(schema);
  const isAsked = (name: string) =>
    !Object.hasOwn(given, name) && (!options.onlyRequired || required.has(name));
  const names = Object.keys(properties).filter(isAsked);
  names.sort((a, b) => Number(required.has(b)) - Number(required.has(a)));
  const answers: Record<string, unknown> = { ...given };
  for (const name of names) {
    const property = resolveReference(properties[name], schema);
    const answer = await askProperty(name, property, { isRequired: required.has(name), prompts });
    if (answer !== undefined) answers[name] = answer;
  }
  return answers;
}

interface PropertyPrompt {
  readonly isRequired: boolean;
  readonly prompts: Prompts;
}

async function askProperty(
  name: string,
  schema: JsonObject,
  { isRequired, prompts }: PropertyPrompt,
): Promise<unknown> {
  const message = describeProperty(name, schema, isRequired);
  const choices = choicesOf(schema);
  if (choices) {
    const skip = isRequired ? [] : [{ value: noChoice, label: "(leave out)" }];
    const chosen = await prompts.select(message, [...skip, ...choices]);
    return chosen === noChoice ? undefined : coerceText(chosen, schema);
  }
  if (schema.type === "array" && isObject(schema.items)) {
    const items = choicesOf(schema.items);
    if (items) {
      const chosen = await prompts.multiselect(message, items, isRequired);
      return chosen.length === 0 && !isRequired ? undefined : chosen;
    }
  }
  if (schema.type === "boolean") return prompts.confirm(message, schema.default === true);
  const text = await prompts.text({
    message,
    initial: schema.default === undefined ? undefined : toText(schema.default),
    validate: (typed) => complaintAbout(typed, schema, isRequired),
  });
  return text === "" && !isRequired ? undefined : coerceText(text, schema);
}

// Not a value that a schema can name: those are texts of the server, and this has a control character.
const noChoice = "\u0000";

function describeProperty(name: string, schema: JsonObject, isRequired: boolean): string {
  const title = typeof schema.title === "string" ? schema.title : name;
  const about = typeof schema.description === "string" ? ` (${schema.description})` : "";
  return escapeLine(`${title}${about}${isRequired ? "" : ", optional"}`);
}

function choicesOf(schema: JsonObject): Choice<string>[] | undefined {
  if (Array.isArray(schema.enum)) {
    const names = Array.isArray(schema.enumNames) ? schema.enumNames : [];
    return schema.enum.map((value, index) => toChoice(value, names[index]));
  }
  const titled = Array.isArray(schema.oneOf) ? schema.oneOf : Array.isArray(schema.anyOf) ? schema.anyOf : [];
  if (titled.length === 0 || !titled.every((one) => isObject(one) && one.const !== undefined))
    return undefined;
  return titled.map((one: JsonObject) => toChoice(one.const, one.title));
}

function toChoice(value: unknown, title: unknown): Choice<string> {
  return { value: toText(value), label: escapeLine(typeof title === "string" ? title : toText(value)) };
}

function toText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function complaintAbout(text: string, schema: JsonObject, isRequired: boolean): string | undefined {
  if (text === "") return isRequired && schema.type !== "string" ? "Needs a value." : undefined;
  const value = coerceText(text, schema);
  if ((schema.type === "number" || schema.type === "integer") && typeof value !== "number")
    return "Not a number.";
  if (schema.type === "integer" && !Number.isInteger(value)) return "Not a whole number.";
  return undefined;
}
