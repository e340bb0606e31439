// As `bare`, with one write for all answers to what arrived together: what a server could reach at best.
let rest = "";

/** The rest of a result of 2026-07-28, whose requests have metadata. */
const newest = {
  resultType: "complete",
  _meta: { "io.modelcontextprotocol/serverInfo": { name: "echo", version: "1.0.0" } },
};

process.stdin.setEncoding("utf8");
process.stdin.on("data", (chunk: string) => {
  const lines = (rest + chunk).split("\n");
  rest = lines.pop() ?? "";
  let answers = "";
  for (const line of lines) {
    const { id, params } = JSON.parse(line);
    if (id === undefined) continue;
    const text = params.arguments?.text ?? "";
    const result = { content: [{ type: "text", text }], ...(params._meta && newest) };
    const answer = { jsonrpc: "2.0", id, result };
    answers += `${JSON.stringify(answer)}\n`;
  }
  process.stdout.write(answers);
});
