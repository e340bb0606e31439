import { createServer } from "allspeak";
import { expect, it } from "vitest";

it.each([[["short"]], [[]], [["a secret of at least thirty-two characters", ""]]])(
  "a server with the secrets %j is not made",
  (secrets) => {
    expect(() => createServer({ name: "s", version: "1", secrets })).toThrow(
      expect.objectContaining({ code: "usage", message: expect.stringContaining("openssl rand") }),
    );
  },
);
