import { expect, it, vi } from "vitest";
import { answerElicitation } from "../../src/client/incoming/elicitation.ts";

const modes = new Set(["url"] as const);
const asking = (url: string) => ({ mode: "url", message: "Log in", elicitationId: "1", url });

it.each([
  "https://good.example@evil.example/",
  "https://good.example:443@evil.example/",
  "https://evil.example/\u202emoc.doog",
  "https://good.ex\u0430mple/",
  "https://good.example\\@evil.example/",
  "https:evil.example",
  "https://evil.example/\r\nhttps://good.example/",
  " https://evil.example/",
])("the URL %j, which looks like another, is not shown", async (url) => {
  const askUser = vi.fn();
  await expect(answerElicitation(asking(url), modes, askUser)).rejects.toMatchObject({ wireCode: -32602 });
  expect(askUser).not.toHaveBeenCalled();
});

it.each(["https://xn--exmple-4nf.com/", "http://127.0.0.1:80/a?b=c#d", "HTTPS://Example.com/%20"])(
  "the URL %j is shown as it is",
  async (url) => {
    const askUser = vi.fn(async () => ({ action: "decline" as const }));
    await answerElicitation(asking(url), modes, askUser);
    expect(askUser).toHaveBeenCalledWith(expect.objectContaining({ url }), expect.any(Function));
  },
);
