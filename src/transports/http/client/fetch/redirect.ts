import { HttpError } from "../../../../errors.ts";
import { showUrl } from "../../../../lib/text/show-url.ts";
import type { ReceivedResponse } from "../http-exchange.ts";

const sameMethod: readonly number[] = [307, 308];
const asGet: readonly number[] = [301, 302, 303];

export function isRedirect({ hidesTarget, status }: ReceivedResponse): boolean {
  return hidesTarget || sameMethod.includes(status) || asGet.includes(status);
}

/**
 * The target of a redirect.
 *
 * Only within the origin: headers with credentials must not be sent to another.
 */
export function redirectTarget(response: ReceivedResponse, from: URL, method: string): URL {
  const { status } = response;
  if (response.hidesTarget) {
    throw new HttpError(
      `${showUrl(from)} redirects, and this platform hides the target; connect to the final URL.`,
      {
        status,
      },
    );
  }
  const location = response.header("location") ?? "";
  const isTarget = location !== "" && URL.canParse(location, from);
  const target = isTarget ? new URL(location, from) : undefined;
  const refuse = (why: string) => new HttpError(`${showUrl(from)} ${why}`, { status, headers: { location } });
  if (target === undefined) throw refuse("redirects without a valid location.");
  if (target.origin !== from.origin || target.username !== "" || target.password !== "")
    throw refuse(`redirects to ${showUrl(target)}, which is another origin; connect there if you trust it.`);
  if (asGet.includes(status) && method !== "GET")
    throw refuse(
      `redirects to ${showUrl(target)} with a status that turns a POST into a GET; connect there.`,
    );
  return target;
}
