import { echoed, toSessionWire, type Wire } from "./wire.ts";
import type { Shot } from "./wrk.ts";

const types = { "Content-Type": "application/json", Accept: "application/json, text/event-stream" };

/** Opens a session where the revision has any, and makes sure that a call is answered with what was sent. */
export async function openHttp(url: URL, wire: Wire, sessionRevision = wire.revision): Promise<Shot> {
  const opensSession = wire.confirmation !== undefined;
  const shot = opensSession
    ? await openSession(url, toSessionWire(sessionRevision))
    : {
        url: withoutFragment(url),
        headers: { ...toHeaders(wire.revision), ...toCredentials(url) },
        body: wire.call,
      };
  const answer = await post(shot, wire.call(1));
  const text = await answer.text();
  if (!text.includes(echoed)) throw new Error(`Unexpected answer: ${answer.status} ${text.slice(0, 500)}`);
  return shot;
}

function toHeaders(revision: string): Record<string, string> {
  return { ...types, "MCP-Protocol-Version": revision, "Mcp-Method": "tools/call", "Mcp-Name": "echo" };
}

/** The token that a server wants is in the fragment of its address. */
function toCredentials({ hash }: URL): Record<string, string> {
  return hash === "" ? {} : { Authorization: `Bearer ${hash.slice(1)}` };
}

function withoutFragment(url: URL): URL {
  const plain = new URL(url);
  plain.hash = "";
  return plain;
}

async function openSession(url: URL, { revision, opening, confirmation = "", call }: Wire): Promise<Shot> {
  const opened = await post({ url, headers: types }, opening);
  if (!opened.ok) throw new Error(`Unexpected answer: ${opened.status} ${await opened.text()}`);
  await opened.text();
  const id = opened.headers.get("mcp-session-id");
  const headers = {
    ...types,
    "MCP-Protocol-Version": revision,
    ...(id !== null && { "Mcp-Session-Id": id }),
  };
  await (await post({ url, headers }, confirmation)).text();
  return { url, headers, body: call };
}

function post({ url, headers }: Pick<Shot, "url" | "headers">, body: string): Promise<Response> {
  return fetch(url, { method: "POST", headers, body });
}
