// The floor: the least a program can do that reads a body, parses it, answers it and writes the answer.
import { createServer } from "node:http";
import { announce } from "../shared/announce.ts";
import { work } from "../shared/work.ts";

/** The rest of a result of 2026-07-28, whose requests have metadata. */
const newest = {
  resultType: "complete",
  _meta: { "io.modelcontextprotocol/serverInfo": { name: "echo", version: "1.0.0" } },
};

const server = createServer((request, response) => {
  let body = "";
  request.setEncoding("utf8");
  request.on("data", (chunk: string) => {
    body += chunk;
  });
  request.on("end", () => {
    const { id, params } = JSON.parse(body);
    work();
    const text = params?.arguments?.text ?? "";
    const result = { content: [{ type: "text", text }], ...(params?._meta && newest) };
    const answer = JSON.stringify({ jsonrpc: "2.0", id, result });
    response.writeHead(200, {
      "content-type": "application/json",
      "content-length": Buffer.byteLength(answer),
    });
    response.end(answer);
  });
});
announce(server);
