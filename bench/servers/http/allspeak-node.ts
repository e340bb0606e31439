import { serveHttp } from "allspeak/node";
import { announceUrl } from "../shared/announce.ts";
import { createEcho } from "../shared/echo.ts";
import { openSharedState } from "../shared/shared-state.ts";

const state = openSharedState();
const { url } = await serveHttp(createEcho(), { ...(state && { state }) });
announceUrl(url);
