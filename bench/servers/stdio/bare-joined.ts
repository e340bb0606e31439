// As `bare`, with one write for all answers to what arrived together: what a server could reach at best.
let rest = "";

process.stdin.setEncoding("utf8");
process.stdin.on("data", (chunk: string) => {
  const lines = (rest + chunk).split("\n");
  rest = lines.pop() ?? "";
  let answers = "";
  for (const line of lines) {
    const { id, params } = JSON.parse(line);
    if (id === undefined) continue;
    const text = params.arguments?.text ?? "";
    const answer = { jsonrpc: "2.0", id, result: { content: [{ type: "text", text }] } };
    answers += `${JSON.stringify(answer)}\n`;
  }
  process.stdout.write(answers);
});
