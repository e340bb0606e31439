import { expect, it } from "vitest";
import { toHolder } from "../../../../src/contract/caller/holder.ts";
import { bear, openProtected, publicUrl } from "../../../support/auth/protected-server.ts";

it("tokens without a subject are principals of their own, and count for their client together", async () => {
  const { issuer, call } = await openProtected();
  const principals = [];
  for (const jti of ["one", "two"]) {
    const token = await issuer.mint(publicUrl, { sub: undefined, client_id: "job", jti });
    const { body } = await call(bear(token));
    principals.push(JSON.parse(body.result.content[0]?.text ?? "{}"));
  }
  const [one, two] = principals;
  expect(one.subject).not.toBe(two.subject);
  expect(toHolder({ principal: one })).toBe(toHolder({ principal: two }));
  expect(toHolder({ principal: one })).not.toBe(toHolder({ principal: { ...one, client: "other" } }));
});
