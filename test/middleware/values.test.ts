import { type Context, contextKey, createServer, prompt, resource, tool } from "allspeak";
import { connect } from "allspeak/client";
import { describe, expect, expectTypeOf, it, onTestFinished } from "vitest";

interface User {
  readonly name: string;
}

const user = contextKey<User>("user");
const tenant = contextKey<string>("tenant", { stored: true });

const logged: string[] = [];
const server = createServer({
  name: "s",
  version: "1",
  log: ({ cause }) => void logged.push(String(cause)),
  tools: [
    tool("whoami", {}, (_args, ctx) => `${ctx.get(user).name} of ${ctx.get(tenant)}`),
    tool("later", { task: "required", pollIntervalMs: 20 }, (_args, ctx) => ctx.get(tenant)),
    tool("lost", { task: "required", pollIntervalMs: 20 }, (_args, ctx) => ctx.get(user).name),
  ],
  resources: [resource("app://me", {}, (_uri, ctx) => ctx.get(user).name)],
  prompts: [prompt("greet", {}, (_args, ctx) => `Greet ${ctx.get(user).name}.`)],
});
server.use((_call, next) => next({ values: [user.of({ name: "nobody" }), tenant.of("blue")] }));
server.use((call, next) =>
  call.method === "tools/list"
    ? next()
    : next({ values: [user.of({ name: call.client.info?.name ?? "?" })] }),
);

async function open() {
  const client = await connect(server, { info: { name: "ada", version: "1" }, tasks: true });
  onTestFinished(() => client.close());
  return client;
}

const text = (value: string) => [{ type: "text", text: value }];

describe("values of middlewares", () => {
  it("reach tools, resources and prompts; the innermost middleware wins", async () => {
    const client = await open();
    expect((await client.tools.call("whoami")).content).toEqual(text("ada of blue"));
    expect((await client.resources.read("app://me")).contents).toMatchObject([{ text: "ada" }]);
    expect((await client.prompts.get("greet")).messages).toMatchObject([{ content: { text: "Greet ada." } }]);
  });

  it("reach the tools of a mounted server", async () => {
    const outer = createServer({ name: "outer", version: "1", log: () => {} });
    const region = contextKey<string>("region");
    const inner = createServer({
      name: "inner",
      version: "1",
      tools: [tool("where", {}, (_args, ctx) => ctx.get(region))],
    });
    outer.mount("in", inner);
    outer.use((_call, next) => next({ values: [region.of("north")] }));
    const client = await connect(outer);
    onTestFinished(() => client.close());
    expect((await client.tools.call("in_where")).content).toEqual(text("north"));
  });

  it("are stored with a task where their key says so, and otherwise missing with advice", async () => {
    const client = await open();
    expect((await client.tools.call("later")).content).toEqual(text("blue"));
    expect((await client.tools.call("lost")).isError).toBe(true);
    expect(logged.splice(0)).toEqual([
      'UsageError: A task does not have the value "user"; make its key with contextKey("user", { stored: true }).',
    ]);
  });

  it("that no middleware gave are an error of the author, which says what to do", async () => {
    const bare = createServer({
      name: "s",
      version: "1",
      log: ({ cause }) => void logged.push(String(cause)),
    });
    bare.tool("whoami", {}, (_args, ctx) => ctx.get(user).name);
    const client = await connect(bare);
    onTestFinished(() => client.close());
    await client.tools.call("whoami");
    expect(logged.splice(0)).toEqual([
      'UsageError: No middleware gave the value "user"; add one that calls next({ values: [key.of(value)] }).',
    ]);
  });

  it("have the type of their key", () => {
    expectTypeOf((ctx: Context) => ctx.get(user)).returns.toEqualTypeOf<User>();
    expectTypeOf(user.of).parameter(0).toEqualTypeOf<User>();
  });

  it.each([
    [{ value: 1 }, 'next has no option "value"; did you mean "values"?'],
    [{ values: 1 }, 'next: the option "values" must be an array, not 1.'],
    [5, "next takes an object of options, such as { params, values }, not 5."],
  ])("that stand in the wrong place are refused: %j", async (changes, says) => {
    const wrong = createServer({ name: "s", version: "1", log: () => {} });
    const seen: string[] = [];
    wrong.use((_call, next) =>
      next(changes as never).catch((error) => {
        seen.push(error.message);
        return next();
      }),
    );
    wrong.tool("t", {}, () => "x");
    const client = await connect(wrong);
    onTestFinished(() => client.close());
    await client.tools.list().all();
    expect(new Set(seen)).toEqual(new Set([says]));
  });

  it("that no key made are refused", async () => {
    const wrong = createServer({ name: "s", version: "1", log: () => {} });
    const seen: unknown[] = [];
    wrong.use((_call, next) =>
      next({ values: [{ key: "user", value: 1 }] as never }).catch((error) => {
        seen.push(error.message);
        return { tools: [] };
      }),
    );
    wrong.tool("t", {}, () => "x");
    const client = await connect(wrong);
    onTestFinished(() => client.close());
    await client.tools.list().all();
    expect(seen[0]).toBe("next takes values that keys made: next({ values: [key.of(value)] }).");
  });
});
