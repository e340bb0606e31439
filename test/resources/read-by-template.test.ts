import { createServer, resource } from "allspeak";
import { connect, UsageError } from "allspeak/client";
import { expect, it, onTestFinished } from "vitest";

async function openClient() {
  const server = createServer({
    name: "notes",
    version: "1.0.0",
    resources: [resource("note://{name}{?lang}", {}, (variables) => JSON.stringify({ ...variables }))],
  });
  const client = await connect(server);
  onTestFinished(() => client.close());
  return client;
}

it("reads the resource that a template and its variables name", async () => {
  const client = await openClient();
  const [template] = await client.resources.templates().all();
  const read = (variables: { readonly [name: string]: string }) =>
    client.resources.read(template?.uriTemplate ?? "", { variables });
  expect((await read({ name: "my cats" })).contents).toMatchObject([{ uri: "note://my%20cats" }]);
  expect((await read({ name: "cats", lang: "de" })).contents).toMatchObject([
    { uri: "note://cats?lang=de", text: JSON.stringify({ name: "cats", lang: "de" }) },
  ]);
});

it("is not answered by a server that takes a template for one of its URIs", async () => {
  const client = await openClient();
  const error = await client.resources.read("note://{name}{?lang}").catch((error: unknown) => error);
  expect(error).toBeInstanceOf(UsageError);
  expect(error).toMatchObject({ cause: { code: "rpc" } });
  await expect(client.resources.read("note://{name}")).rejects.toMatchObject({ code: "rpc" });
  expect((await client.resources.read("note://%7Bname%7D")).contents).toMatchObject([
    { text: '{"name":"{name}"}' },
  ]);
});

it("takes braces in a URI as they are when there are no variables", async () => {
  const client = await openClient();
  await expect(client.resources.read("other://{name}")).rejects.toMatchObject({ code: expect.anything() });
});

it("says what is wrong with a template", async () => {
  const client = await openClient();
  await expect(client.resources.read("note://{name", { variables: { name: "cats" } })).rejects.toThrow(
    UsageError,
  );
});
