/** As much of a browser as a consent page needs: cookies, one form, and redirects that are not followed. */
export class Browser {
  readonly #cookies = new Map<string, string>();

  async get(url: string | URL): Promise<Response> {
    return this.#send(new Request(url, { redirect: "manual" }));
  }

  /** Presses a button of the form on a page. */
  async submit(page: Page, fields: Record<string, string>, headers: Record<string, string> = {}) {
    const body = new URLSearchParams({ ...page.hidden, ...fields });
    return this.#send(new Request(page.action, { method: "POST", body, headers, redirect: "manual" }));
  }

  get cookies(): string {
    return [...this.#cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  }

  forget(): void {
    this.#cookies.clear();
  }

  async #send(request: Request): Promise<Response> {
    if (this.#cookies.size > 0) request.headers.set("cookie", this.cookies);
    const response = await fetch(request);
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      this.#cookies.set(name, value);
    }
    return response;
  }
}

export interface Page {
  readonly action: URL;
  readonly hidden: Record<string, string>;
  readonly text: string;
}

export async function readPage(response: Response, base: string): Promise<Page> {
  const text = await response.text();
  const [, action = ""] = /<form method="post" action="([^"]*)"/.exec(text) ?? [];
  const inputs = text.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g);
  const hidden = Object.fromEntries([...inputs].map(([, name = "", value = ""]) => [name, value]));
  return { action: new URL(action, base), hidden, text };
}
