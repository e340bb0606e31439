import type { Registration, Server } from "allspeak";

/** Registers tools that change what the server offers, so that clients can be seen to hear of it. */
export function addChangingTools(server: Server): void {
  const toggleTool = toggle(() =>
    server.tool("test_temporary_tool", "Comes and goes", () => "This tool is here for now."),
  );
  const togglePrompt = toggle(() =>
    server.prompt("test_temporary_prompt", { description: "Comes and goes" }, () => "Here for now."),
  );

  server.tool(
    "test_trigger_tool_change",
    "Adds a tool, or removes it again",
    () => `test_temporary_tool was ${toggleTool()}.`,
  );
  server.tool(
    "test_trigger_prompt_change",
    "Adds a prompt, or removes it again",
    () => `test_temporary_prompt was ${togglePrompt()}.`,
  );
  server.tool("test_trigger_resource_update", "Says that the watched resource has changed", () => {
    void server.resources.updated("test://watched-resource");
    return "Subscribers were told.";
  });
}

function toggle(add: () => Registration): () => "added" | "removed" {
  let registration: Registration | undefined;
  return () => {
    if (registration) {
      registration.remove();
      registration = undefined;
      return "removed";
    }
    registration = add();
    return "added";
  };
}
