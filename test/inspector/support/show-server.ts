import { audio, createServer, embed, image, link, resource, type Server, text, tool } from "allspeak";

/** A picture of one transparent dot. */
const dot =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";
/** A WAVE file without a sample. */
const silence = "UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA=";

const dish = {
  type: "object",
  required: ["title"],
  properties: {
    title: { type: "string" },
    spicy: { type: "boolean" },
    sides: { type: "array", items: { $ref: "#/$defs/Dish" } },
  },
};

/** Every kind of schema that a form must handle. */
const booking = {
  type: "object",
  required: ["name", "seats", "contact"],
  properties: {
    name: { type: "string", title: "Guest", minLength: 2 },
    seats: { type: "integer", minimum: 1, maximum: 12, default: 2 },
    when: { type: "string", format: "date" },
    table: { enum: ["window", "garden", "bar"] },
    contact: {
      oneOf: [
        {
          type: "object",
          title: "By mail",
          required: ["kind", "email"],
          properties: { kind: { const: "mail" }, email: { type: "string", format: "email" } },
        },
        {
          type: "object",
          title: "By phone",
          required: ["kind", "number"],
          properties: { kind: { const: "phone" }, number: { type: "string" } },
        },
      ],
    },
    menu: { type: "array", items: { $ref: "#/$defs/Dish" } },
    allergies: { type: "array", uniqueItems: true, items: { enum: ["nuts", "milk"] } },
    photo: { type: "string", contentEncoding: "base64" },
    note: { type: ["string", "null"] },
    pin: { type: "string", format: "password" },
  },
  $defs: { Dish: dish },
} as const;

const guests = {
  type: "object",
  properties: { guests: { type: "array", items: { type: "object" } } },
} as const;

/** A server whose results are of every kind that a page shows. */
export function createShowServer(): Server {
  return createServer({
    name: "show",
    version: "1.0.0",
    title: "The show",
    tools: [
      tool("book", { description: "Books a table.", input: booking }, (given) => JSON.stringify(given)),
      tool("guests", { output: guests }, () => ({
        guests: [
          { name: "Ada", seats: 2 },
          { name: "Grace", seats: 4 },
        ],
      })),
      tool("media", {}, () => [
        text("# Title\n\n**bold** and `code`\n\n| a | b |\n| --- | --- |\n| 1 | 2 |"),
        image(dot, "image/png"),
        audio(silence, "audio/wav"),
        link("https://example.com/menu?week=1", { name: "menu" }),
        link("note://menu", { name: "the menu of today" }),
        embed({ uri: "note://one", mimeType: "text/plain", text: "embedded words" }),
        embed({
          uri: "note://prices",
          mimeType: "text/csv",
          text: 'dish,price\r\n"Soup, hot","5 ""euro"""\r\n',
        }),
      ]),
    ],
    resources: [resource("note://menu", { name: "menu" }, () => "Soup and bread.")],
  });
}
