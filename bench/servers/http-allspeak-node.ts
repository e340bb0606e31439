import { serveHttp } from "allspeak/node";
import { announceUrl } from "./announce.ts";
import { createEcho } from "./echo.ts";
import { openSharedState } from "./shared-state.ts";

const state = openSharedState();
const { url } = await serveHttp(createEcho(), { ...(state && { state }) });
announceUrl(url);
