import { exchange } from "./webhook-exchange.ts";
import type { Incoming, Outgoing } from "./webhook-exchange.ts";

const MAX_REDIRECTS = 3;
/** These ask for the same request elsewhere. */
const KEPT: readonly number[] = [307, 308];
/** These make a GET without a body out of it. */
const CHANGED: readonly number[] = [301, 302, 303];

/** Thrown for a redirect that is not followed. */
export class RefusedRedirect extends Error {
  override readonly name = "RefusedRedirect";
}

/**
 * Make a request and follow its redirects, at most three: to the same scheme, host and port, with the same
 * method and body. A hook's context is for the server that was named, and a GET would not carry it.
 *
 * @param first the request; each after it gets a look-up of its own from `lookupFor`
 * @throws RefusedRedirect for any other; what `exchange` and `lookupFor` throw
 */
export async function exchangeFollowing(
  first: Omit<Outgoing, "lookup">,
  lookupFor: (url: URL) => Outgoing["lookup"],
): Promise<Incoming> {
  let { url } = first;
  for (let redirects = 0; ; redirects++) {
    const incoming = await exchange({ ...first, url, lookup: lookupFor(url) });
    if (CHANGED.includes(incoming.status)) {
      throw new RefusedRedirect(
        `redirected with status ${incoming.status}, which would drop the body`,
      );
    }
    if (!KEPT.includes(incoming.status)) return incoming;
    if (redirects === MAX_REDIRECTS) {
      throw new RefusedRedirect(`redirected more than ${MAX_REDIRECTS} times`);
    }
    url = target(incoming, url);
  }
}

function target({ status, location }: Incoming, from: URL): URL {
  if (location === undefined || !URL.canParse(location, from.href)) {
    throw new RefusedRedirect(`redirected with status ${status} and no place to go`);
  }
  const to = new URL(location, from.href);
  if (to.origin === from.origin) return to;
  // The place itself is not told: its path or its credentials may be a secret.
  throw new RefusedRedirect(`redirected with status ${status} to another place, ${to.origin}`);
}
