/** Follows an authorization URL as a user's browser would, up to the callback of the client. */
export async function followRedirects(start: URL | string, callback: string): Promise<URL> {
  const cookies = new Map<string, string>();
  let url = new URL(start);
  for (let hop = 0; hop < 20; hop++) {
    if (url.href.startsWith(callback)) return url;
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const response = await fetch(url, { redirect: "manual", headers: { cookie } });
    for (const line of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    const location = response.headers.get("location");
    if (location === null)
      throw new Error(`${url.pathname} was answered ${response.status}: ${await response.text()}`);
    url = new URL(location, url);
  }
  throw new Error("The browser was redirected in a loop.");
}
