import { describe, expect, test } from "vitest";
import { InvalidResponseError } from "../../../src/errors.ts";
import { toEndpointUrl } from "../../../src/transports/http/client/shapes/http-sse-2024.ts";

const from = new URL("https://example.com/a/sse?key=1");

describe("the endpoint that a stream names", () => {
  test.each([
    ["/messages?session=1", "https://example.com/messages?session=1"],
    ["messages", "https://example.com/a/messages"],
    ["?session=1", "https://example.com/a/sse?session=1"],
    ["https://example.com/x", "https://example.com/x"],
    ["https://example.com:443/x", "https://example.com/x"],
    ["//example.com/x", "https://example.com/x"],
    ["  /padded \n", "https://example.com/padded"],
    ["/../up", "https://example.com/up"],
  ])("%j is %s", (data, url) => {
    expect(toEndpointUrl(data, from).href).toBe(url);
  });

  test.each([
    "https://evil.example/x",
    "http://example.com/x",
    "https://example.com:8443/x",
    "https://example.com.evil.example/x",
    "//evil.example/x",
    "\\\\evil.example\\x",
    "https://user@example.com/x",
    "https://user:pass@example.com/x",
    "https://example.com@evil.example/x",
    "javascript:alert(1)",
    "data:text/plain,x",
    "file:///etc/passwd",
    "http://[",
  ])("%j is refused", (data) => {
    expect(() => toEndpointUrl(data, from)).toThrow(InvalidResponseError);
  });
});
