import { resource } from "allspeak";
import { png } from "./media.ts";

const staticText = resource(
  "test://static-text",
  { name: "Static text", description: "Text that never changes", mimeType: "text/plain" },
  () => "This is the content of the static text resource.",
);

const staticBinary = resource(
  "test://static-binary",
  { name: "Static image", description: "An image that never changes", mimeType: "image/png" },
  () => Buffer.from(png, "base64"),
);

const data = resource(
  "test://template/{id}/data",
  {
    name: "Data by id",
    description: "Data for any id",
    mimeType: "application/json",
    complete: { id: (typed) => ["123", "124", "200"].filter((id) => id.startsWith(typed)) },
  },
  ({ id }) => JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }),
);

const watched = resource(
  "test://watched-resource",
  {
    name: "Watched resource",
    description: "Subscribe to it; test_trigger_resource_update says that it changed",
    mimeType: "text/plain",
  },
  () => "This is the content of the watched resource.",
);

export const resources = [staticText, staticBinary, data, watched];
