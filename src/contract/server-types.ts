/** The types of the tools of a server: the input and the output of each. */
export interface ToolTypes {
  readonly [name: string]: { readonly input: unknown; readonly output: unknown };
}

/** The types of the prompts of a server: the arguments of each. */
export interface PromptTypes {
  readonly [name: string]: object;
}

/** A server whose tools are known to the compiler. The member does not exist at run time. */
export interface HasToolTypes<Tools> {
  readonly "~tools"?: Tools;
}

/** Likewise for its prompts. */
export interface HasPromptTypes<Prompts> {
  readonly "~prompts"?: Prompts;
}

/** Likewise for the URIs and URI templates of its resources. */
export interface HasResourceTypes<Uris> {
  readonly "~resources"?: Uris;
}
