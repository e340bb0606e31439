import { toAnthropicTools } from "allspeak/host";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Bm25Index } from "../../src/host/search/bm25.ts";
import { catalogueServers, readCatalogue, readQueries } from "./fixtures/catalogue.ts";
import { namedServer, openTestHost } from "./fixtures/servers.ts";

/** About four characters make a token. */
const tokensOf = (value: unknown) => Math.ceil(JSON.stringify(value).length / 4);

describe("search over tools", () => {
  // Measured: 0.963 and 0.925.
  test.each([
    ["queries.txt", 60],
    ["held-out-queries.txt", 40],
  ] as const)(
    "finds the right tool among the first five for nine questions of ten of %s",
    async (file, count) => {
      const host = await openTestHost({ servers: catalogueServers() });
      const queries = readQueries(file);
      expect([...readCatalogue().values()].flat().length).toBeGreaterThanOrEqual(300);
      expect(queries.length).toBeGreaterThanOrEqual(count);
      const missed: string[] = [];
      for (const { query, answers } of queries) {
        const found = (await host.search(query)).map(({ tool }) => `${tool.server}/${tool.tool.name}`);
        if (!answers.some((answer) => found.includes(answer))) missed.push(`${query}: ${found.join(" ")}`);
      }
      const recall = 1 - missed.length / queries.length;
      console.info(`recall at 5: ${recall.toFixed(3)}`, missed);
      expect(recall).toBeGreaterThanOrEqual(0.9);
    },
  );

  test("costs a model few tokens, and lets it call what it found", async () => {
    const host = await openTestHost({ servers: catalogueServers() });
    const tools = await host.modelTools();
    expect(tools.map(({ name }) => name)).toEqual(["search_tools", "call_tool"]);
    const before = tokensOf(toAnthropicTools(await host.tools()));
    const after = tokensOf(toAnthropicTools(tools));
    // Measured: 13,699 and 282.
    expect(after).toBeLessThan(500);
    expect(before).toBeGreaterThan(20 * after);
    const found = JSON.parse(
      (await host.call("search_tools", { query: "cancel an event in my calendar" })).text,
    );
    expect(found).toHaveLength(5);
    expect(found[0]).toMatchObject({
      name: "google-calendar__delete_event",
      inputSchema: { type: "object" },
    });
    const args = { name: found[0].name, arguments: { event_id: "1" } };
    expect((await host.call("call_tool", args)).text).toBe("ran google-calendar/delete_event");
    const asText = { ...args, arguments: '{"event_id":"1"}' };
    expect((await host.call("call_tool", asText)).text).toBe("ran google-calendar/delete_event");
  });

  test.each([
    ["日历", "创建日历事件"],
    ["カレンダーの予定", "カレンダーに予定を追加します"],
    ["일정", "캘린더에 일정을 추가합니다"],
    ["ปฏิทิน", "สร้างกิจกรรมในปฏิทิน"],
    ["календарь", "Показывает календарь"],
    ["größe", "Ändert die Größe eines Bildes"],
    ["GROSSE", "Change la grosse valise"],
    ["क्षेत्र", "क्षेत्र खोजता है"],
    ["pull requests", "listPullRequests"],
    ["html parser", "parse_HTML_page HTMLParser"],
    ["github", "GitHub"],
  ])("finds %s in %s alone", async (query, description) => {
    const server = namedServer("a", "read", "write");
    server.tool("x1", description, {}, () => "");
    const host = await openTestHost({ servers: { a: server } });
    expect((await host.search(query)).map(({ tool }) => tool.name)).toEqual(["a__x1"]);
  });

  test.each(["", "   ", "?!", "the of", "x".repeat(100_000), "a ".repeat(100_000)])(
    "a question without words that fit finds nothing",
    async (query) => {
      const host = await openTestHost({ servers: { a: namedServer("a", "read") } });
      expect(await host.search(query)).toEqual([]);
    },
  );

  test("follows changes of lists", async () => {
    const server = namedServer("a", "read");
    const host = await openTestHost({ servers: { a: server }, searchAbove: 0 });
    const names = async (query: string) => (await host.search(query)).map(({ tool }) => tool.name);
    expect(await names("paint a picture")).toEqual([]);
    const changed = () => new Promise((resolve) => host.onChange(resolve));
    const added = changed();
    const paint = server.tool("paint", "Paints a picture", {}, () => "painted");
    await added;
    expect(await names("paint a picture")).toEqual(["a__paint"]);
    const removed = changed();
    paint.remove();
    await removed;
    expect(await names("paint a picture")).toEqual([]);
  });

  test.each([
    ["search_tools", {}, "search_tools needs a query"],
    ["search_tools", { query: "qqqqqq" }, "No tool fits"],
    ["call_tool", { name: "search_tools", arguments: {} }, "call_tool needs the name of a tool"],
    ["call_tool", { name: "a__read", arguments: "{" }, "call_tool needs the name of a tool"],
    ["call_tool", { name: "a__nothing" }, 'There is no tool "a__nothing".'],
  ])("%s with %j tells the model what is wrong", async (name, args, message) => {
    const host = await openTestHost({ servers: { a: namedServer("a", "read") } });
    const result = await host.call(name, args);
    expect(result.isError).toBe(true);
    expect(result.text).toContain(message);
  });

  test("an index that changed step by step answers like a new one", () => {
    const word = fc.constantFrom("read", "write", "file", "mail", "page");
    const step = fc.tuple(
      fc.constantFrom("a", "b", "c", "d"),
      fc.option(fc.dictionary(word, fc.integer({ min: 1, max: 5 }))),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), fc.array(word), (steps, query) => {
        const index = new Bm25Index();
        const documents = new Map<string, ReadonlyMap<string, number>>();
        for (const [id, terms] of steps) {
          documents.delete(id);
          if (terms === null) index.delete(id);
          else {
            index.set(id, new Map(Object.entries(terms)));
            documents.set(id, new Map(Object.entries(terms)));
          }
        }
        const fresh = new Bm25Index();
        for (const [id, terms] of documents) fresh.set(id, terms);
        const asked = new Map(query.map((term) => [term, 1]));
        const close = (hits: ReturnType<Bm25Index["search"]>) =>
          hits.map(({ id, score }) => [id, score.toFixed(6)]);
        expect(close(index.search(asked, 10))).toEqual(close(fresh.search(asked, 10)));
      }),
    );
  });
});
