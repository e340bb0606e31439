type Send = (request: Request) => Promise<Response>;

/** As much of a browser as a login needs: cookies of each site, one form, and redirects that are not followed. */
export class Browser {
  readonly #jars = new Map<string, Map<string, string>>();
  readonly #send: Send;

  constructor(send: Send = (request) => fetch(request)) {
    this.#send = send;
  }

  get(url: string | URL): Promise<Response> {
    return this.#visit(new Request(url, { redirect: "manual" }));
  }

  /** Presses a button of the form on a page; browsers say where the form was, unless the page forbids it. */
  submit(
    page: Page,
    fields: Record<string, string>,
    headers: Record<string, string> = {},
  ): Promise<Response> {
    const body = new URLSearchParams({ ...page.hidden, ...fields });
    const origin = page.referrerPolicy === "no-referrer" ? "null" : page.action.origin;
    const sent = { origin, "sec-fetch-site": "same-origin", ...headers };
    return this.#visit(new Request(page.action, { method: "POST", body, headers: sent, redirect: "manual" }));
  }

  /** Goes where an answer leads, as long as it leads to one of these sites. */
  async follow(response: Response, origins: readonly string[]): Promise<Response> {
    const location = response.headers.get("location");
    // Where the answer came from is not known for one that was made here.
    const next = location === null ? undefined : new URL(location, response.url || undefined);
    if (next === undefined || !origins.includes(next.origin)) return response;
    return this.follow(await this.get(next), origins);
  }

  jar(origin: string): Map<string, string> {
    const jar = this.#jars.get(origin) ?? new Map<string, string>();
    this.#jars.set(origin, jar);
    return jar;
  }

  async #visit(request: Request): Promise<Response> {
    const jar = this.jar(new URL(request.url).origin);
    if (jar.size > 0) request.headers.set("cookie", [...jar].map((pair) => pair.join("=")).join("; "));
    const response = await this.#send(request);
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      if (/Max-Age=0/.test(cookie)) jar.delete(name);
      else jar.set(name, value);
    }
    return response;
  }
}

export interface Page {
  readonly action: URL;
  readonly hidden: Record<string, string>;
  readonly text: string;
  readonly referrerPolicy: string | null;
}

export async function readPage(response: Response, base: string): Promise<Page> {
  const text = await response.text();
  const [, action = ""] = /<form method="post" action="([^"]*)"/.exec(text) ?? [];
  const inputs = text.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g);
  const hidden = Object.fromEntries([...inputs].map(([, name = "", value = ""]) => [name, value]));
  return {
    action: new URL(action, base),
    hidden,
    text,
    referrerPolicy: response.headers.get("referrer-policy"),
  };
}
