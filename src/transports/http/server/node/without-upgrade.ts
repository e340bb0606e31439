import type { IncomingMessage } from "node:http";

const dropped = new Set(["upgrade", "http2-settings"]);

/** The head of a request as it came, but without the request to upgrade the protocol. */
export function withoutUpgrade({ method, url, httpVersion, rawHeaders }: IncomingMessage): Buffer {
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? "";
    const value = rawHeaders[at + 1] ?? "";
    if (dropped.has(name.toLowerCase())) continue;
    lines.push(`${name}: ${name.toLowerCase() === "connection" ? withoutOptions(value) : value}`);
  }
  return Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1");
}

function withoutOptions(connection: string): string {
  const options = connection.split(",").map((option) => option.trim());
  return options.filter((option) => !dropped.has(option.toLowerCase())).join(", ");
}
