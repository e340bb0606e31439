import { serveHttp } from "allspeak/node";
import { announceUrl } from "./announce.ts";
import { createEcho } from "./echo.ts";

const { url } = await serveHttp(createEcho());
announceUrl(url);
