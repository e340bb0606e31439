import { createServer, type Server, tool } from "allspeak";
import { connect } from "allspeak/client";
import { expect, it } from "vitest";

const echo = (name: string) => tool(name, { input: { type: "object" } }, () => "done");

function createPaged(count: number): Server<unknown> {
  const tools = Array.from({ length: count }, (_, at) => echo(`t${at}`));
  return createServer({ name: "paged", version: "1", pageSize: 2, tools });
}

async function open(server: Server<unknown>) {
  const client = await connect(server);
  const page = async (cursor?: unknown) => {
    const { tools, nextCursor } = await client.request("tools/list", cursor === undefined ? {} : { cursor });
    return { names: (tools as { name: string }[]).map(({ name }) => name), nextCursor };
  };
  return { page, close: () => client.close() };
}

it("a page that was given before changes as soon as the list does", async () => {
  const server = createPaged(5);
  const { page, close } = await open(server);
  const { nextCursor } = await page();
  expect((await page(nextCursor)).names).toEqual(["t2", "t3"]);
  expect((await page(nextCursor)).names).toEqual(["t2", "t3"]);

  const late = server.tool("late", {}, () => "done");
  const again = await page(nextCursor);
  expect(again.names).toEqual(["t2", "t3"]);
  expect((await page(again.nextCursor)).names).toEqual(["t4", "late"]);
  late.disable();
  expect((await page(again.nextCursor)).names).toEqual(["t4"]);
  await close();
});

it("a cursor goes on behind its item after earlier items are gone", async () => {
  const server = createServer({ name: "paged", version: "1", pageSize: 2 });
  const [first] = ["t0", "t1", "t2", "t3", "t4"].map((name) => server.tool(name, {}, () => "done"));
  const { page, close } = await open(server);
  const { nextCursor } = await page();
  first?.remove();
  expect((await page(nextCursor)).names).toEqual(["t2", "t3"]);
  expect((await page()).names).toEqual(["t1", "t2"]);
  await close();
});

it("callers who may see different items get pages of their own", async () => {
  const server = createPaged(2);
  server.tool("secret", { enabled: (ctx) => ctx.client.info?.name === "insider" }, () => "done");
  server.tool("last", {}, () => "done");
  const insider = await connect(server, { info: { name: "insider", version: "1" } });
  const outsider = await connect(server, { info: { name: "outsider", version: "1" } });
  const namesOf = async (client: typeof insider) => (await client.tools.list().all()).map(({ name }) => name);
  expect(await namesOf(insider)).toEqual(["t0", "t1", "secret", "last"]);
  expect(await namesOf(outsider)).toEqual(["t0", "t1", "last"]);
  await Promise.all([insider.close(), outsider.close()]);
});
