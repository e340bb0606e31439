// The floor: the least a program can do that reads a line, parses it, answers it and writes the answer.
let rest = "";

process.stdin.setEncoding("utf8");
process.stdin.on("data", (chunk: string) => {
  const lines = (rest + chunk).split("\n");
  rest = lines.pop() ?? "";
  for (const line of lines) {
    const { id, params } = JSON.parse(line);
    if (id === undefined) continue;
    const text = params.arguments?.text ?? "";
    const answer = { jsonrpc: "2.0", id, result: { content: [{ type: "text", text }] } };
    process.stdout.write(`${JSON.stringify(answer)}\n`);
  }
});
