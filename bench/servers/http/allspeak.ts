import { serveHttp } from "allspeak/node";
import { announceUrl } from "../shared/announce.ts";
import { createEcho } from "../shared/echo.ts";

const { url } = await serveHttp(createEcho());
announceUrl(url);
