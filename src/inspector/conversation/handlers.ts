import type { ConversationRequests } from "../messages/conversation.ts";
import type { Handlers } from "../session/handler.ts";

export const conversationHandlers: Handlers<keyof ConversationRequests> = {
  async "open-conversation"({ connections: ids, searchAbove }, { session }) {
    const connections = ids.map((id) => session.connections.get(id));
    const { id, conversation } = await session.conversations.open(
      { connections, searchAbove, model: () => session.model },
      (owner, step) => session.emit("conversation-step", { conversation: owner, step }),
    );
    return { conversation: id, view: await conversation.view() };
  },

  async say({ conversation, text }, { session, signal }) {
    return { steps: await session.conversations.get(conversation).say(text, signal) };
  },

  async "search-tools"({ conversation, query }, { session }) {
    const found = await session.conversations.get(conversation).search(query);
    return {
      found: found.map(({ tool: { name, server, description }, score }) => ({
        name,
        server,
        score,
        ...(description !== undefined && { description }),
      })),
    };
  },

  async "close-conversation"({ conversation }, { session }) {
    await session.conversations.close(conversation);
    return {};
  },
};
