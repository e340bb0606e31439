import fc from "fast-check";
import { expect, it } from "vitest";
import { encodeRequest } from "../../src/protocol/encode-request.ts";
import { SharedMeta } from "../../src/protocol/shared-meta.ts";

const member = fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 4 });

it("a request keeps the progress token of its own metadata", () => {
  const params = { _meta: { progressToken: "mine" } };
  const text = encodeRequest(7, "a/b", params, { shared: new SharedMeta({ key: 1 }) });
  expect(JSON.parse(text).params._meta).toEqual({ progressToken: "mine", key: 1 });
});

it("a request has its params, and the metadata of its connection before its own", () => {
  const meta = fc.record({
    own: fc.option(member),
    shared: fc.option(member),
    token: fc.option(fc.integer()),
  });
  fc.assert(
    fc.property(member, meta, (params, { own, shared, token }) => {
      const sent = own === null ? params : { ...params, _meta: own };
      const text = encodeRequest(7, "a/b", sent, {
        shared: shared === null ? undefined : new SharedMeta(shared),
        progressToken: token ?? undefined,
      });
      const _meta = { ...own, ...shared, ...(token !== null && { progressToken: token }) };
      const hasMeta = own !== null || shared !== null || token !== null;
      expect(JSON.parse(text)).toEqual(
        JSON.parse(
          JSON.stringify({
            jsonrpc: "2.0",
            id: 7,
            method: "a/b",
            params: hasMeta ? { ...params, _meta } : params,
          }),
        ),
      );
    }),
  );
});

it("a request has the params that their own toJSON gives, in the metadata's place too", () => {
  class Params {
    readonly name = "x";
    toJSON(): object {
      return { name: "y" };
    }
  }
  const params = new Params() as unknown as { readonly name: string };
  expect(JSON.parse(encodeRequest(1, "a", params)).params).toEqual({ name: "y" });
});
