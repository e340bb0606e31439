// Without limits of calls, so that sessions and calls can be many.
import { serveHttp } from "allspeak/node";
import { announceUrl } from "./announce.ts";
import { createEcho } from "./echo.ts";

const { url } = await serveHttp(createEcho(), { limits: false });
announceUrl(url);
