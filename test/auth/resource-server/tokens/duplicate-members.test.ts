import { expect, it } from "vitest";
import { hasDuplicateMembers } from "../../../../src/auth/resource-server/duplicate-members.ts";

it.each([
  '{"aud":"a","aud":"b"}',
  '{"aud":"a","\\u0061ud":"a"}',
  '{ "a" : {"b":1} , "a" : [ ] }',
  '{"__proto__":1,"__proto__":2}',
  '{"a\\"":1,"a\\"":2}',
])("%s names a member twice", (text) => {
  expect(hasDuplicateMembers(text)).toBe(true);
});

it.each([
  "{}",
  '{"a":{"b":1},"b":2}',
  '{"a":{"b":1,"b":2}}',
  '{"a":[{"b":1},{"b":2}],"c":":,{\\"a\\":"}',
  '{"a:":1,"a":2,"__proto__":3,"constructor":4}',
])("%s names each member once", (text) => {
  expect(hasDuplicateMembers(text)).toBe(false);
});
