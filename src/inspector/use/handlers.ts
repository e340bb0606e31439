import type { Client, Listing } from "allspeak/client";
import type { CallToolResult } from "../../protocol/model/tool.ts";
import type { Answered, UseRequests } from "../messages/use.ts";
import type { Handlers, PageCall } from "../session/handler.ts";
import { measure } from "./measure.ts";
import { checkOutput } from "./output-check.ts";
import { reportTask, taskHandlers } from "./task-handlers.ts";

export const useHandlers: Handlers<keyof UseRequests> = {
  ...taskHandlers,

  async "list-tools"(params, call) {
    const listed = await list(params, call, (client, options) => client.tools.list(options));
    call.session.connections.get(params.connection).keepTools(listed.items);
    return listed;
  },
  "list-resources": (params, call) => list(params, call, (client, options) => client.resources.list(options)),
  "list-templates": (params, call) =>
    list(params, call, (client, options) => client.resources.templates(options)),
  "list-prompts": (params, call) => list(params, call, (client, options) => client.prompts.list(options)),

  async "call-tool"({ connection: id, name, arguments: args, meta, task }, call) {
    const { session, signal, push } = call;
    const connection = session.connections.get(id);
    const { client } = connection;
    const { value: result, ...answered } = await measure(connection, call, () =>
      client.tools.call(name, args, {
        signal,
        ...(meta && { meta }),
        ...(task && { task }),
        onProgress: (progress) => push("progress", { request: call.id, ...progress }),
        onTask: reportTask(id, call),
      }),
    );
    return {
      ...answered,
      result,
      output: await checkOutput(await connection.findTool(name), result as CallToolResult),
    };
  },

  async "read-resource"({ connection: id, uri }, call) {
    const connection = call.session.connections.get(id);
    const { client } = connection;
    const { value: result, ...answered } = await measure(connection, call, () =>
      client.resources.read(uri, { signal: call.signal, fresh: true }),
    );
    return { ...answered, result };
  },

  async "get-prompt"({ connection: id, name, arguments: args }, call) {
    const connection = call.session.connections.get(id);
    const { client } = connection;
    const { value: result, ...answered } = await measure(connection, call, () =>
      client.prompts.get(name, args, { signal: call.signal }),
    );
    return { ...answered, result };
  },

  async complete({ connection: id, ref, argument, context }, call) {
    const connection = call.session.connections.get(id);
    const { client } = connection;
    const { value: completion, ...answered } = await measure(connection, call, () =>
      client.complete(ref, argument, context && { arguments: context }, { signal: call.signal }),
    );
    return { ...answered, completion };
  },

  async subscribe({ connection: id, lists = [], uris = [] }, { session }) {
    const connection = session.connections.get(id);
    return { subscription: await session.subscriptions.open(connection, { lists, uris }) };
  },

  async unsubscribe({ subscription }, { session }) {
    await session.subscriptions.close(subscription);
    return {};
  },

  async "set-log-level"({ connection, level }, { session, signal }) {
    await session.connections.get(connection).client.setLogLevel(level, { signal });
    return {};
  },

  async "set-roots"({ connection, roots }, { session }) {
    await session.connections.get(connection).client.setRoots(roots);
    return {};
  },

  async ping({ connection: id }, call) {
    const connection = call.session.connections.get(id);
    const { client } = connection;
    const { value: _nothing, ...answered } = await measure(connection, call, () =>
      client.ping({ signal: call.signal }),
    );
    return answered;
  },

  async "send-request"({ connection: id, method, params = {} }, call) {
    const connection = call.session.connections.get(id);
    const { client } = connection;
    const { value: result, ...answered } = await measure(connection, call, () =>
      client.request(method, params, { signal: call.signal }),
    );
    return { ...answered, result };
  },

  async "send-notification"({ connection, method, params = {} }, { session }) {
    await session.connections.get(connection).client.notify(method, params);
    return {};
  },
};

async function list<Item>(
  { connection: id }: { readonly connection: string },
  call: PageCall,
  open: (client: Client, options: { signal: AbortSignal; fresh: true }) => Listing<Item>,
): Promise<Answered & { items: Item[]; problems: string[] }> {
  const connection = call.session.connections.get(id);
  const { client } = connection;
  connection.takeProblems();
  const { value: items, ...answered } = await measure(connection, call, () =>
    open(client, { signal: call.signal, fresh: true }).all(),
  );
  return { ...answered, items, problems: connection.takeProblems() };
}
