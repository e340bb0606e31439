import { expect, it } from "vitest";
import { refusal } from "../matrix/argument-error.ts";
import { readText } from "../matrix/read-text.ts";
import { describeRevisions } from "../matrix/revisions.ts";

describeRevisions("arguments", (place) => {
  const { open } = place;

  it("that do not fit are refused: to the model where it can mend them, else as an error", async () => {
    const text = await refusal(await open(), place, "add", { a: 1, b: "two" });
    expect(text).toMatch(/^Invalid arguments for tool "add":\n- b: /);
    expect(text).toContain("number");
  });

  it("that are missing are named", async () => {
    expect(await refusal(await open(), place, "echo", {})).toContain("- text: ");
  });

  it("that are misspelt come with a suggestion", async () => {
    const text = await refusal(await open(), place, "echo", { txt: "hello" });
    expect(text).toContain("- text: ");
    expect(text).toContain('- txt: is not an argument; did you mean "text"?');
  });

  it("that a tool does not know are ignored by default", async () => {
    const { client } = await open();
    expect(readText(await client.tools.call("lenient", { color: "red" }))).toBe("{}");
  });

  it("that a tool does not know are refused by a tool that says so", async () => {
    const text = await refusal(await open(), place, "strict", { color: "red" });
    expect(text).toContain('- color: is not an argument; did you mean "colour"?');
  });
});

describeRevisions(
  "unknown arguments to a server that refuses them",
  (place) => {
    it("are refused for every tool", async () => {
      const text = await refusal(await place.open(), place, "echo", { text: "hello", volume: 11 });
      expect(text).toBe('Invalid arguments for tool "echo":\n- volume: is not an argument');
    });
  },
  { fixture: "guarded" },
);
