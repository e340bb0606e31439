import { expect, onTestFinished, test, vi } from "vitest";
import { createTestProxy, publicUrl } from "../../support/auth/test-proxy.ts";

/** A body whose sender hangs up in the middle. */
function breakingOff(): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start: (controller) => controller.enqueue(new TextEncoder().encode("grant_type=")),
    pull: (controller) => controller.error(new Error("hung up")),
  });
}

test.each([
  ["/token", "application/x-www-form-urlencoded"],
  ["/register", "application/json"],
  ["/consent", "application/x-www-form-urlencoded"],
])("strangers who hang up while they send to %s write nothing to the log", async (path, type) => {
  const log = vi.spyOn(console, "error").mockImplementation(() => {});
  onTestFinished(() => log.mockRestore());
  const { proxy } = await createTestProxy();
  const init = { method: "POST", headers: { "content-type": type }, body: breakingOff(), duplex: "half" };
  const answer = await proxy.fetch(new Request(publicUrl + path, init as RequestInit));
  expect(answer.status).toBe(400);
  expect(log).not.toHaveBeenCalled();
});
