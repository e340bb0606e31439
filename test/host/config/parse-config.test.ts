import { parseHostConfig } from "allspeak/host";
import { describe, expect, test } from "vitest";
import { workOf } from "../../inspector/support/work.ts";

const command = { command: "npx", args: ["-y", "notes"] };
const asCommand = { command: "npx", args: ["-y", "notes"], env: {} };
const asUrl = { url: "https://example.com/mcp", headers: {} };

const files: readonly [host: string, file: unknown, entry: unknown][] = [
  ["Claude Desktop, Claude Code, Cursor", { mcpServers: { notes: command } }, asCommand],
  [
    "Claude Code with a URL",
    { mcpServers: { notes: { type: "http", url: "https://example.com/mcp" } } },
    asUrl,
  ],
  ["VS Code", { servers: { notes: { type: "stdio", ...command } } }, asCommand],
  ["settings of VS Code", { mcp: { servers: { notes: command } } }, asCommand],
  ["Windsurf", { mcpServers: { notes: { serverUrl: "https://example.com/mcp" } } }, asUrl],
  ["Gemini CLI", { mcpServers: { notes: { httpUrl: "https://example.com/mcp" } } }, asUrl],
  ["Zed", { context_servers: { notes: { source: "custom", ...command } } }, asCommand],
  [
    "older files of Zed",
    {
      context_servers: { notes: { command: { path: "npx", args: ["-y", "notes"], env: {} }, settings: {} } },
    },
    asCommand,
  ],
  ["nothing but entries", { notes: command }, asCommand],
];

describe("the file of a host", () => {
  test.each(files)("%s", (_host, file, entry) => {
    const config = parseHostConfig(JSON.stringify(file));
    expect(config.servers.get("notes")?.entry).toEqual(entry);
    expect(config.problems).toEqual([]);
  });

  test("may have comments, trailing commas and a byte order mark, and strings that look like them", () => {
    const text = `\uFEFF{
      // the servers
      "mcpServers": {
        /* one */ "a": { "command": "sh", "args": ["-c", "echo // no, } /* comment */"], }, // end
      }, /* the end */
    }`;
    const { servers } = parseHostConfig(text);
    expect(servers.get("a")?.entry).toMatchObject({ args: ["-c", "echo // no, } /* comment */"] });
  });

  test("a text that is not JSON is refused with its line, and without its content", () => {
    const parse = () => parseHostConfig('{\n "mcpServers": {\n "secret-token" }\n}', { path: "mcp.json" });
    expect(parse).toThrow("mcp.json is not JSON: unexpected character in line 3");
    expect(parse).not.toThrow(/secret/);
  });

  test("a file that names no servers is refused", () => {
    expect(() => parseHostConfig('{"theme":"dark"}')).toThrow("names no servers");
    expect(() => parseHostConfig("[]")).toThrow("names no servers");
  });

  test("an entry that can't be used becomes a problem, and the others stay", () => {
    const { servers, problems } = parseHostConfig(
      JSON.stringify({
        mcpServers: {
          fine: command,
          empty: {},
          both: { command: "a", url: "https://example.com" },
          words: { command: "a", args: "b" },
          extension: { source: "extension", settings: {} },
          text: "npx",
        },
      }),
    );
    expect([...servers.keys()]).toEqual(["fine"]);
    expect(problems.map(({ server }) => server)).toEqual(["empty", "both", "words", "extension", "text"]);
    expect(problems[2]?.message).toBe('Server "words": its args are not an array of strings.');
  });

  test("numbers and booleans count as text, and null as left out", () => {
    const { servers } = parseHostConfig(
      JSON.stringify({
        mcpServers: { a: { command: "a", args: [1], env: { PORT: 80, DEBUG: true, X: null } } },
      }),
    );
    expect(servers.get("a")?.entry).toEqual({
      command: "a",
      args: ["1"],
      env: { PORT: "80", DEBUG: "true" },
    });
  });

  test("says which servers are switched off, and which tools may be used", () => {
    const { servers } = parseHostConfig(
      JSON.stringify({
        mcpServers: {
          off: { ...command, disabled: true },
          also: { ...command, enabled: false },
          few: { ...command, includeTools: ["read"], excludeTools: ["write"] },
          windsurf: { ...command, disabledTools: ["purge"] },
        },
      }),
    );
    expect(servers.get("off")?.isDisabled).toBe(true);
    expect(servers.get("also")?.isDisabled).toBe(true);
    expect(servers.get("few")).toMatchObject({ allowedTools: ["read"], deniedTools: ["write"] });
    expect(servers.get("windsurf")).toMatchObject({ isDisabled: false, deniedTools: ["purge"] });
  });

  test("the servers of a project are added to those of the user, and have priority", () => {
    const text = JSON.stringify({
      mcpServers: { a: command, b: command },
      projects: { "/work": { mcpServers: { b: { url: "https://example.com/mcp" } } } },
    });
    expect([...parseHostConfig(text).servers.keys()]).toEqual(["a", "b"]);
    const { servers } = parseHostConfig(text, { workspaceFolder: "/work" });
    expect(servers.get("b")?.entry).toEqual(asUrl);
  });

  test("a server called __proto__ is a server like any other", () => {
    const { servers } = parseHostConfig('{"mcpServers":{"__proto__":{"command":"a"}}}');
    expect([...servers.keys()]).toEqual(["__proto__"]);
    expect(Object.hasOwn(Object.prototype, "command")).toBe(false);
  });

  test("reads what the user is asked for", () => {
    const { inputs } = parseHostConfig(
      JSON.stringify({
        servers: {},
        inputs: [
          { type: "promptString", id: "key", description: "The key", password: true },
          { type: "pickString", id: "where", options: ["eu", { label: "US", value: "us" }], default: "eu" },
        ],
      }),
    );
    expect(inputs.get("key")).toMatchObject({ description: "The key", isSecret: true });
    expect(inputs.get("where")).toMatchObject({ options: ["eu", "us"], default: "eu", isSecret: false });
  });
});

test("the work for a file grows no faster than its entries", () => {
  const toText = (count: number) =>
    JSON.stringify({
      mcpServers: Object.fromEntries(Array.from({ length: count }, (_, at) => [`s${at}`, command])),
    });
  const few = workOf(() => parseHostConfig(toText(1_000)));
  // Eight times the entries are 64 times the work where it grows with the square.
  expect(workOf(() => parseHostConfig(toText(8_000)))).toBeLessThan(24 * few);
});
