const methods: ReadonlySet<string> = new Set(["tools/call", "prompts/get", "resources/read"]);

/** Whether a call of this method may end with questions and come again with the answers. */
export function hasRounds(method: string): boolean {
  return methods.has(method);
}
