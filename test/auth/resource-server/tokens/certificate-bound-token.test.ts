import { bearer } from "allspeak/auth";
import { expect, it } from "vitest";
import { bear, protect, publicUrl } from "../../../support/auth/protected-server.ts";

it.each([{ "x5t#S256": "abc" }, { jwk: {} }, { jkt: "" }, { jkt: 7 }, "abc", ["abc"]])(
  "a token that is bound by a method that is not checked (%j) is refused",
  async (cnf) => {
    const { call, entered } = protect({
      auth: bearer({ verify: () => ({ sub: "a", aud: publicUrl, cnf }) }),
    });
    const { status, challenge } = await call(bear("x"));
    expect([status, challenge]).toEqual([401, expect.stringContaining('error="invalid_token"')]);
    expect(entered()).toBe(0);
  },
);
