import { DebugLog } from "../../../debug/debug-log.ts";
import type { EventSink, HttpReply, HttpRequest, ResponseHeaders } from "./http-interface.ts";

interface Exchange {
  readonly http: HttpRequest;
  readonly reply: HttpReply;
}

/** An HTTP request and its reply, whose heads and messages are shown as they come and go. */
export function showExchange({ http, reply }: Exchange, write: (line: string) => void): Exchange {
  const log = new DebugLog(write, "server", http.header("mcp-protocol-version"));
  const headers = [...http.headerNames()].map((name) => [name, http.header(name) ?? ""] as const);
  log.show({ line: `${http.method} ${http.url}`, headers }, "received");
  return { http: showBody(http, log), reply: showReply(reply, log) };
}

function showBody(http: HttpRequest, log: DebugLog): HttpRequest {
  return {
    method: http.method,
    path: http.path,
    prefix: http.prefix,
    mountPath: http.mountPath,
    query: http.query,
    url: http.url,
    address: http.address,
    waitUntil: http.waitUntil,
    header: (name) => http.header(name),
    headerNames: () => http.headerNames(),
    readText: (limits, caller, receive) =>
      http.readText(limits, caller, (body) => {
        if (body.ok) log.show(body.text, "received");
        receive(body);
      }),
  };
}

function showReply(reply: HttpReply, log: DebugLog): HttpReply {
  const showHead = (status: number, headers: ResponseHeaders) =>
    log.show({ line: `${status}`, headers: Object.entries(headers) }, "sent");
  return {
    send(status, headers, body) {
      showHead(status, headers);
      if (body) log.show(body, "sent");
      reply.send(status, headers, body);
    },
    stream(headers) {
      showHead(200, headers);
      return showEvents(reply.stream(headers), log);
    },
    countUnread: (limits, caller) => reply.countUnread?.(limits, caller),
    onGone: (listener) => reply.onGone(listener),
  };
}

function showEvents(sink: EventSink, log: DebugLog): EventSink {
  return {
    get bufferedBytes() {
      return sink.bufferedBytes;
    },
    write(text) {
      for (const [, data = ""] of text.matchAll(/^data: (.+)$/gm)) log.show(data, "sent");
      return sink.write(text);
    },
    end: () => sink.end(),
  };
}
