import { expect, it } from "vitest";
import { toSkeleton } from "../../src/client/trust/confusables.ts";

it.each([
  ["a trailing space", "read_file "],
  ["a leading tab", "\tread_file"],
  ["a control character", "read\u0007_file"],
  ["an escape", "read\u001b_file"],
  ["a C1 control character", "read\u0085_f\u0090ile".replace("\u0085", "")],
  ["1 for i", "read_f1le"],
  ["l for i", "read_flle"],
  ["I for i", "READ_FILE"],
  ["a pipe for l", "read_fi|e"],
])("a name with %s looks like the one without", (_, name) => {
  expect(toSkeleton(name)).toBe(toSkeleton("read_file"));
});

it("names that a person can tell apart stay apart", () => {
  const names = ["read_file", "read_files", "read file", "write_file", "read-file", "read_file2"];
  expect(new Set(names.map(toSkeleton)).size).toBe(names.length);
});
