// Without limits of calls, so that sessions and calls can be many.
import { serveHttp } from "allspeak/node";
import { announceUrl } from "../shared/announce.ts";
import { createEcho } from "../shared/echo.ts";

const { url } = await serveHttp(createEcho(), { limits: false });
announceUrl(url);
