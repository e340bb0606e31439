import { createServer, tool } from "allspeak";
import { createFetchHandler } from "allspeak/http";
import { z } from "zod";
import { serveFetch } from "./serve-fetch.ts";

const input = z.object({ text: z.string() });
const echo = tool("echo", { description: "Says it again", input }, ({ text }) => text);
serveFetch(createFetchHandler(createServer({ name: "echo", version: "1.0.0", tools: [echo] })));
