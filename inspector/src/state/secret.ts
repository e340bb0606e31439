/**
 * The secret of the session. It lives as long as the tab, and a tab that is opened with a copied address asks its
 * neighbours for it; nothing of it is ever written to disk.
 */
const key = "allspeak-session";
const channel = new BroadcastChannel(key);
const patienceMs = 300;

channel.onmessage = ({ data }) => {
  const secret = sessionStorage.getItem(key);
  if (data === "wanted" && secret) channel.postMessage({ secret });
};

export function keepSecret(secret: string): void {
  sessionStorage.setItem(key, secret);
}

export async function findSecret(): Promise<string | undefined> {
  return sessionStorage.getItem(key) ?? (await askNeighbours());
}

function askNeighbours(): Promise<string | undefined> {
  const asking = new BroadcastChannel(key);
  return new Promise<string | undefined>((resolve) => {
    asking.onmessage = ({ data }) => {
      if (typeof data?.secret === "string") resolve(data.secret);
    };
    asking.postMessage("wanted");
    setTimeout(() => resolve(undefined), patienceMs);
  }).finally(() => asking.close());
}

/** Takes the one-time token out of the address, so that no copy of the address has it. */
export function takeToken(): string | undefined {
  const token = /^#token=([^&]+)/.exec(location.hash)?.[1];
  if (token === undefined) return;
  history.replaceState(null, "", `${location.pathname}${location.search}#/`);
  dispatchEvent(new HashChangeEvent("hashchange"));
  return decodeURIComponent(token);
}
