import { InvalidResponseError } from "../../../../errors.ts";
import { showUrl } from "../fetch/show-url.ts";

/** Where messages are to be posted, as an `endpoint` event says. Never to another origin, whatever it says. */
export function toEndpointUrl(data: string, from: URL): URL {
  const said = data.trim();
  const url = URL.canParse(said, from) ? new URL(said, from) : undefined;
  if (url === undefined || url.origin !== from.origin || url.username !== "" || url.password !== "") {
    const shown = JSON.stringify(said.slice(0, 200));
    throw new InvalidResponseError(
      `${showUrl(from)} wants messages posted to ${shown}, which is not within its origin.`,
    );
  }
  return url;
}
