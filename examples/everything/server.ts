import { createServer } from "allspeak";
import { askingTools } from "./asking-tools.ts";
import { addChangingTools } from "./changing-tools.ts";
import { roundsPrompt, roundTools } from "./input-rounds.ts";
import { prompts } from "./prompts.ts";
import { resources } from "./resources.ts";
import { headerTool, schemaTool } from "./schema-tools.ts";
import { taskTools, toolWithTask } from "./task-tools.ts";
import { plainTools } from "./tools.ts";

/** A server with one of everything that the protocol has. */
export const server = createServer({
  name: "everything",
  version: "1.0.0",
  title: "Everything",
  instructions: "Every tool here exercises one part of the protocol; its description says which.",
  // What a person calls comes first, then what only the conformance suite calls.
  tools: [...taskTools, ...plainTools, ...askingTools, ...roundTools, toolWithTask, headerTool, schemaTool],
  resources,
  prompts: [...prompts, roundsPrompt],
});

addChangingTools(server);
