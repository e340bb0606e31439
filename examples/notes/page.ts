import { serveInspector } from "allspeak/inspector";
import { serveHttp } from "allspeak/node";
import { server as booking } from "../booking/server.ts";
import { server as everything } from "../everything/server.ts";
import { server as longJob } from "../long-job/server.ts";
import { server as notes } from "./server.ts";

const examples = [
  { name: "notes", server: notes, title: "Notes", description: "Notes that you and a model keep together" },
  {
    name: "booking",
    server: booking,
    title: "Booking",
    description: "A restaurant that asks before it books",
  },
  { name: "long-job", server: longJob, title: "Long job", description: "Printing a book, with progress" },
  { name: "everything", server: everything, title: "Everything", description: "One of all that there is" },
];

export interface ServedExamples {
  readonly servers: readonly { readonly title: string; readonly url: string }[];
  /** The address of the page; it works once. */
  readonly pageUrl: string;
  close(): Promise<void>;
}

/** Serves the notes on this port, other examples on free ones, and the page that shows them all. */
export async function serveWithPage(port: number): Promise<ServedExamples> {
  const served = await Promise.all(
    examples.map(async ({ server, ...about }, index) => {
      const running = await serveHttp(server, index === 0 ? { port } : {});
      return { ...about, running, url: running.url };
    }),
  );
  const offers = served.map(({ name, title, description, url }) => [
    name,
    { target: { url }, title, description, isFirst: name === "notes" },
  ]);
  const inspector = await serveInspector({ servers: Object.fromEntries(offers) });
  return {
    servers: served,
    pageUrl: inspector.url,
    async close() {
      await inspector.close();
      await Promise.all(served.map(({ running }) => running.close()));
    },
  };
}
