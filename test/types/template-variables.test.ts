import { resource } from "allspeak";
import { expectTypeOf, it } from "vitest";

it("a resource handler knows its variables from the template", () => {
  resource("file:///logs/{date}", {}, (variables) => {
    expectTypeOf(variables.date).toEqualTypeOf<string>();
    return variables.date;
  });
  resource("db://{table}/{+rest}{?limit,offset}", { complete: { table: () => [] } }, (variables) => {
    expectTypeOf(variables.table).toEqualTypeOf<string>();
    expectTypeOf(variables.rest).toEqualTypeOf<string>();
    expectTypeOf(variables.limit).toEqualTypeOf<string | undefined>();
    return "";
  });
  resource("files://{/path*}", {}, (variables) => {
    expectTypeOf(variables.path).extract<readonly string[]>().not.toBeNever();
    return "";
  });
  resource("file:///fixed", {}, (variables, ctx) => {
    expectTypeOf(variables).not.toHaveProperty("anything");
    return ctx.uri;
  });
});
