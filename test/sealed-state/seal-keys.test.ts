import { randomBytes } from "node:crypto";
import { UsageError } from "allspeak";
import { afterEach, describe, expect, test, vi } from "vitest";
import { createSealKeys } from "../../src/seal/seal-keys.ts";

const variable = "ALLSPEAK_STATE_KEYS";
const bytes = randomBytes(32);
const secret = bytes.toString("base64");
const passphrase = "correct horse battery staple, twice over";

afterEach(() => vi.unstubAllEnvs());

describe("the keys of a seal", () => {
  test("is the same on every node that has the same secrets", async () => {
    const [one, other] = await Promise.all([createSealKeys([secret]), createSealKeys([secret])]);
    expect(one.current.id).toBe(other.current.id);
    expect(one.current.id).toMatch(/^[\w-]{8}$/);
    expect(one.isRandom).toBe(false);
  });

  test("takes base64 with and without padding, base64url, and a newline at its end for the same secret", async () => {
    const spellings = [secret, secret.replace("=", ""), bytes.toString("base64url"), `${secret}\n`];
    const sets = await Promise.all(spellings.map((spelling) => createSealKeys([spelling])));
    expect(new Set(sets.map((keys) => keys.current.id)).size).toBe(1);
  });

  test("takes any text that is long enough", async () => {
    const keys = await createSealKeys([passphrase]);
    expect(keys.find(keys.current.id)).toBe(keys.current);
    expect(keys.current.id).not.toBe((await createSealKeys([`${passphrase}!`])).current.id);
  });

  test("seals with the first secret and finds every one", async () => {
    const old = (await createSealKeys([secret])).current.id;
    const keys = await createSealKeys([passphrase, secret]);
    expect(keys.current.id).toBe((await createSealKeys([passphrase])).current.id);
    expect(keys.find(old)?.id).toBe(old);
    expect(keys.find("AAAAAAAA")).toBe(undefined);
  });

  test("gives out no key that could be read", async () => {
    const { current } = await createSealKeys([secret]);
    await expect(crypto.subtle.exportKey("raw", current.encryption)).rejects.toThrow();
    await expect(crypto.subtle.exportKey("raw", current.mac)).rejects.toThrow();
  });

  test("reads its secrets from the environment, newest first", async () => {
    vi.stubEnv(variable, ` ${passphrase.replace(",", ";")} ,, ${secret},`);
    const keys = await createSealKeys();
    expect(keys.isRandom).toBe(false);
    expect(keys.current.id).toBe((await createSealKeys([passphrase.replace(",", ";")])).current.id);
    expect(keys.find((await createSealKeys([secret])).current.id)).toBeDefined();
  });

  test("prefers the secrets it is given to those of the environment", async () => {
    vi.stubEnv(variable, passphrase.replace(",", ";"));
    const keys = await createSealKeys([secret]);
    expect(keys.find((await createSealKeys()).current.id)).toBe(undefined);
  });

  test.each([undefined, "", " , "])("has a random key when the environment says %j", async (value) => {
    vi.stubEnv(variable, value);
    const [one, other] = await Promise.all([createSealKeys(), createSealKeys()]);
    expect([one.isRandom, other.isRandom]).toEqual([true, true]);
    expect(one.current.id).not.toBe(other.current.id);
  });

  test.each(["", "hunter2", "a".repeat(31), randomBytes(16).toString("base64")])(
    "refuses the short secret %j, says how to make one, and does not repeat it",
    async (short) => {
      const failure = await createSealKeys([secret, short]).catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(UsageError);
      const { message } = failure as UsageError;
      expect(message).toContain("Key 2");
      expect(message).toContain("openssl rand -base64 32");
      if (short !== "") expect(message).not.toContain(short);
    },
  );

  test("refuses a short secret of the environment, too", async () => {
    vi.stubEnv(variable, "hunter2");
    await expect(createSealKeys()).rejects.toThrow(variable);
  });

  test("refuses an empty list, which nobody means", async () => {
    vi.stubEnv(variable, secret);
    await expect(createSealKeys([])).rejects.toThrow(UsageError);
  });
});
