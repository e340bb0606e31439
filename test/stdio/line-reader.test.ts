import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { InvalidMessage } from "../../src/protocol/message.ts";
import { LineReader } from "../../src/transports/framing/line-reader.ts";
import { read } from "./fixtures/framing.ts";

function tooLarge(id: string | number | undefined, bytes: number): InvalidMessage {
  const message = `Message is larger than ${bytes} bytes; raise maxMessageBytes if it may be.`;
  return { kind: "invalid", id, error: { code: -32600, message }, maxBytes: bytes };
}

describe("framing", () => {
  test("lines come out whole, in order, wherever the chunks were cut", () => {
    expect(read(['{"a', '":1}\n{"b":2', '}\n{"c":3}\n'])).toEqual([
      { text: '{"a":1}' },
      { text: '{"b":2}' },
      { text: '{"c":3}' },
    ]);
  });

  test("a carriage return before the newline is dropped, also when it arrives in another chunk", () => {
    expect(read(['{"a":1}\r\n{"b":2}\r', "\n"])).toEqual([{ text: '{"a":1}' }, { text: '{"b":2}' }]);
  });

  test("empty and blank lines are skipped without a word", () => {
    expect(read(["\n\r\n  \t \n", '{"a":1}\n', "\n"])).toEqual([{ text: '{"a":1}' }]);
  });

  test("a character that was cut in two is put together again", () => {
    const bytes = Buffer.from('{"a":"€😀"}\n');
    const chunks = [...bytes].map((byte) => Buffer.from([byte]));
    expect(read(chunks)).toEqual([{ text: '{"a":"€😀"}' }]);
  });

  test("only the line that is not UTF-8 fails", () => {
    const bad = Buffer.concat([Buffer.from('{"b":"'), Buffer.from([0xff, 0xfe]), Buffer.from('"}\n')]);
    const problem = {
      kind: "invalid",
      id: undefined,
      error: { code: -32700, message: "Message is not valid UTF-8." },
    };
    expect(read([Buffer.concat([Buffer.from('{"a":1}\n'), bad, Buffer.from('{"c":3}\n')])])).toEqual([
      { text: '{"a":1}' },
      { problem, isResponse: false },
      { text: '{"c":3}' },
    ]);
  });

  test("an answer that is not UTF-8 names the call that it fails", () => {
    const bad = Buffer.concat([
      Buffer.from('{"id":7,"result":{"t":"'),
      Buffer.from([0xc0]),
      Buffer.from('"}}\n'),
    ]);
    expect(read([bad], { strayOutput: "skip" })).toEqual([
      {
        problem: { kind: "invalid", id: 7, error: { code: -32700, message: "Message is not valid UTF-8." } },
        isResponse: true,
      },
    ]);
  });

  test("a last line without a newline counts when it is whole", () => {
    expect(read(['{"a":1}\n{"b":2}'])).toEqual([{ text: '{"a":1}' }, { text: '{"b":2}' }]);
  });

  test("a last line that was cut off is stray output", () => {
    expect(read(['{"a":1}\n{"b":'])).toEqual([{ text: '{"a":1}' }, { stray: '{"b":' }]);
    expect(read([Buffer.from([0x7b, 0xff])])).toEqual([{ stray: "{�" }]);
    expect(read([Buffer.from('{"a":"\xff"}', "latin1")])).toEqual([{ stray: '{"a":"�"}' }]);
    expect(read(['{"a":1}\n  '])).toEqual([{ text: '{"a":1}' }]);
  });

  test("nothing is delivered once the reader was stopped, not even the rest of a chunk", () => {
    const texts: string[] = [];
    const reader = new LineReader({
      onText: (text) => {
        texts.push(text);
        reader.stop();
      },
      onStrayOutput: () => {},
      onUnreadable: () => {},
    });
    reader.push(Buffer.from('{"a":1}\n{"b":2}\n{"c":'));
    reader.push(Buffer.from("3}\n"));
    reader.end();
    expect(texts).toEqual(['{"a":1}']);
  });
});

describe("the size limit", () => {
  const options = { maxMessageBytes: 40 };

  test("a line of exactly the limit passes, one byte more does not", () => {
    const fits = `{"a":"${"x".repeat(32)}"}`;
    expect(Buffer.byteLength(fits)).toBe(40);
    const over = `{"a":"${"x".repeat(33)}"}`;
    const expected = [{ text: fits }, { problem: tooLarge(undefined, 40), isResponse: false }];
    expect(read([`${fits}\n${over}\n`], options)).toEqual(expected);
    expect(read([fits, "\n", over.slice(0, 10), over.slice(10), "\n"], options)).toEqual(expected);
  });

  test.each([
    ['{"jsonrpc":"2.0","id":3,"result":{"text":"XX"}}', 3, true],
    ['{"result":{"text":"XX","id":99},"jsonrpc":"2.0","id":"a-1"}', "a-1", true],
    ['{"error":{"code":1,"message":"XX"},"id":4}', 4, true],
    ['{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"result":1,"text":"XX"}}', 5, false],
    ['{"method":"a","result":{},"text":"XX","id":6}', 6, false],
    ['{"method":"notifications/message","params":{"id":7,"text":"XX"}}', undefined, false],
    ['{"text":"XX\\\\\\"id\\":1","result":{},"\\u0069d":8}', 8, true],
    ['{"id":1,"result":{"text":"XX"},"id":2}', undefined, true],
    ['{"id":null,"result":{"text":"XX"}}', undefined, true],
    ['{"id":1.5,"result":{"text":"XX"}}', undefined, true],
    ['{"id":{"id":1},"result":{"text":"XX"}}', undefined, true],
    ['[{"id":1,"result":{"text":"XX"}}]', undefined, false],
  ])("a longer line is dropped, but its request is made out: %s", (template, id, isResponse) => {
    const line = template.replace("XX", 'x{[\\"'.repeat(30));
    const expected = [{ problem: tooLarge(id, 40), isResponse }, { text: '{"after":1}' }];
    expect(read([`${line}\n{"after":1}\n`], options)).toEqual(expected);
    const bytes = [...Buffer.from(`${line}\n{"after":1}\n`)].map((byte) => Buffer.from([byte]));
    expect(read(bytes, options)).toEqual(expected);
  });

  test("an id that is longer than ids may be is not made out", () => {
    const line = JSON.stringify({ id: "x".repeat(5_000), result: {} });
    expect(read([`${line}\n`], options)).toEqual([{ problem: tooLarge(undefined, 40), isResponse: true }]);
  });

  test("what is held of an endless line stays small", () => {
    const chunk = Buffer.alloc(64 * 1024, "x");
    const reader = new LineReader(
      { onText() {}, onStrayOutput() {}, onUnreadable() {} },
      { maxMessageBytes: 1024 * 1024 },
    );
    reader.push(Buffer.from('{"text":"'));
    const before = process.memoryUsage().arrayBuffers;
    for (let pushed = 0; pushed < 512; pushed++) reader.push(chunk);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(8 * 1024 * 1024);
  });

  test("long output is stray output to a client, however long", () => {
    const output = `downloading ${".".repeat(500)}`;
    expect(read([`${output}\n`], { ...options, strayOutput: "skip" })).toEqual([
      { stray: `downloading ${".".repeat(187)}…` },
    ]);
  });
});

describe("stray output on a server's stdout", () => {
  const message = '{"jsonrpc":"2.0","id":1,"result":{}}';
  const skip = { strayOutput: "skip" } as const;

  test.each([
    "Server listening on stdio",
    "[info] ready",
    "{ port: 3000 }",
    "42",
    '"text"',
    "\u001b[32mok\u001b[0m",
  ])("a line that is no message is skipped and reported: %j", (output) => {
    const shown = output.replaceAll("\u001b", "\ufffd");
    expect(read([`${output}\n${message}\n`], skip)).toEqual([{ stray: shown }, { text: message }]);
  });

  test.each(["Loading...", "[12:00:01] up ", "{ port: 3000 }", 'took {"ms":12}', "x{[{"])(
    "stray output without a newline does not hide the message behind it: %s",
    (output) => {
      expect(read([`${output}${message}\n`], skip)).toEqual([{ stray: output.trim() }, { text: message }]);
    },
  );

  test.each([
    `  ${message}`,
    `\ufeff${message}`,
    `[${message}]`,
    '{ "id": 1, "result": {} }',
    '{"id":1,"error":"no"}',
    '{"jsonrpc":"2.0"}',
    '{"level":30',
  ])("what may be a message goes to the parser: %s", (line) => {
    expect(read([`${line}\n`], skip)).toEqual([{ text: line }]);
  });

  test.each(["{}", '{"level":30}', '{"method":"GET"}', "[{}]", "\ufeff{}"])(
    "JSON that nobody meant as a message is stray output: %s",
    (line) => {
      expect(read([`${line}\n`], skip)).toEqual([{ stray: line.trim() }]);
      expect(read([`${line}\n`])).toEqual([{ text: line }]);
    },
  );

  test.each(["", "Loading..."])(
    "a long line of JSON is not parsed to find out whether it was meant as a message: %j",
    (before) => {
      const parse = vi.spyOn(JSON, "parse");
      onTestFinished(() => parse.mockRestore());
      const line = `${before}${'{"id":'.repeat(20_000)}1${"}".repeat(20_000)}`;
      const [entry] = read([`${line}\n`], skip);
      expect(entry).toEqual(before === "" ? { text: line } : { stray: `${line.slice(0, 199)}…` });
      expect(parse.mock.calls).toEqual([]);
    },
  );

  test.each([
    ["is broken at its end", "x}}}}"],
    ["has more after it", "}}}} {}"],
  ])("a noisy line whose JSON %s is parsed once at most", (_, end) => {
    const parse = vi.spyOn(JSON, "parse");
    onTestFinished(() => parse.mockRestore());
    const line = `Loading...${'{"id":'.repeat(4)}[${"[],".repeat(1_000)}0]${end}`;
    expect(read([`${line}\n`], skip)).toEqual([{ stray: `${line.slice(0, 199)}…` }]);
    expect(parse.mock.calls.length).toBeLessThanOrEqual(1);
  });

  test("a message of too many parts behind stray output is left to the parser, which refuses it unparsed", () => {
    const parse = vi.spyOn(JSON, "parse");
    onTestFinished(() => parse.mockRestore());
    const large = `{"id":1,"result":{"list":[${"[],".repeat(1_000_000)}0]}}`;
    const entries = read([`Loading...${large}\n`, `Bye.${large}`], skip);
    expect(
      entries.map((entry) => ("stray" in entry ? entry.stray : "text" in entry && entry.text === large)),
    ).toEqual(["Loading...", true, "Bye.", true]);
    expect(parse).not.toHaveBeenCalled();
  });

  test("stray output is reported in a length that suits a log", () => {
    const [entry] = read([`${"x".repeat(10_000)}\n`], skip);
    expect(entry).toEqual({ stray: `${"x".repeat(199)}…` });
  });

  test("stray output in front of the unfinished last line is told apart from it too", () => {
    expect(read([`Bye.${message}`], skip)).toEqual([{ stray: "Bye." }, { text: message }]);
    expect(read([`Bye.${message.slice(0, -1)}`], skip)).toEqual([{ stray: `Bye.${message.slice(0, -1)}` }]);
  });

  test("text that is not UTF-8 is stray output unless it begins as a message does", () => {
    const latin1 = Buffer.from("gr\u00fcezi\n", "latin1");
    expect(read([latin1], skip)).toEqual([{ stray: "gr\ufffdezi" }]);
  });

  test("a server delivers garbage, so that its peer can refuse it", () => {
    expect(read(["garbage\n[1,\n"])).toEqual([{ text: "garbage" }, { text: "[1," }]);
  });
});
