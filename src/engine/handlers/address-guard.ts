import { lookup } from "node:dns/promises";
import { BlockList, isIP, isIPv6, type LookupFunction } from "node:net";
import { callbackify } from "node:util";
import { OrcsError } from "../../core/index.ts";

/** A resolved address. */
export interface ResolvedAddress {
  readonly address: string;
  readonly family: number;
}

/** Resolves a name to its addresses; rejects with the system's `code` when there are none. */
export type Resolve = (hostname: string) => Promise<readonly ResolvedAddress[]>;

/** Thrown for a connection to an address that is neither public nor allowed. */
export class RefusedAddress extends Error {
  override readonly name = "RefusedAddress";
}

/**
 * Blocks connections to addresses outside the public internet, except for allowed hosts. Names are checked in the
 * lookup of the connection itself: with a separate lookup before, the name could resolve to another address the second
 * time.
 */
export class AddressGuard {
  readonly #allowed: readonly AllowedHost[];
  readonly #resolve: Resolve;

  /**
   * @param allowHosts hosts with or without a port: `localhost`, `10.0.0.5:8080`, `[::1]`
   * @throws OrcsError ORCS1004 for an invalid entry
   */
  constructor(
    allowHosts: readonly string[],
    resolve: Resolve = (name) => lookup(name, { all: true }),
  ) {
    this.#allowed = allowHosts.map(allowedHost);
    this.#resolve = resolve;
  }

  /**
   * The lookup for a connection to a URL, for `net.connect` and everything based on it.
   * @throws RefusedAddress when the URL itself is not allowed; addresses are not resolved for that
   */
  lookupFor(url: URL): LookupFunction {
    const allowed = this.#allows(url);
    if (!allowed) checkHost(url);
    const find = callbackify((hostname: string) => this.#addresses(hostname, allowed));
    return (hostname, options, callback) => {
      find(hostname, (error, found) => {
        // Contrary to its type, there is a list only when there is no error.
        const [first] = error ? [] : found;
        if (!first) callback(error ?? noAddress(hostname), []);
        else if (options.all) callback(null, [...found]);
        else callback(null, first.address, first.family);
      });
    };
  }

  /** The addresses of a name. One blocked address is enough to reject it: any of them may be used. */
  async #addresses(hostname: string, allowed: boolean): Promise<readonly ResolvedAddress[]> {
    const found = await this.#resolve(hostname);
    if (allowed) return found;
    for (const { address } of found) {
      const range = refusedRange(address);
      if (range !== undefined) throw refused(`${hostname}, that is ${address},`, range);
    }
    return found;
  }

  #allows(url: URL): boolean {
    const host = withoutDot(url.hostname);
    return this.#allowed.some(
      (entry) => entry.host === host && (entry.port ?? portOf(url)) === portOf(url),
    );
  }
}

interface AllowedHost {
  /** As in `URL`, without a final dot. */
  readonly host: string;
  /** Undefined: any port. */
  readonly port: number | undefined;
}

const HOST_AND_PORT = /^(\[[^\]]+\]|[^[\]:/?#\\@*\s]+)(?::(\d{1,5}))?$/;

function allowedHost(entry: string): AllowedHost {
  const [, host, port] = HOST_AND_PORT.exec(isIPv6(entry) ? `[${entry}]` : entry) ?? [];
  const url = `http://${host ?? ""}/`;
  if (host === undefined || !URL.canParse(url) || Number(port ?? 0) > 65_535) {
    const why = `allow_hosts: ${JSON.stringify(entry)} is not a host or host:port`;
    throw new OrcsError("ORCS1004", why, { host: entry });
  }
  const { hostname } = new URL(url);
  return { host: withoutDot(hostname), port: port === undefined ? undefined : Number(port) };
}

/** `localhost.` is the same name as `localhost`. */
function withoutDot(hostname: string): string {
  return hostname.replace(/\.$/, "");
}

function portOf(url: URL): number {
  return Number(url.port || (url.protocol === "https:" ? 443 : 80));
}

/** An address needs no lookup; `URL` has normalised its spelling. */
function checkHost(url: URL): void {
  const host = withoutDot(url.hostname).replace(/^\[(.*)\]$/, "$1");
  // RFC 6761: these names are the machine itself, whatever a resolver returns.
  if (host === "localhost" || host.endsWith(".localhost")) throw refused(host, "loopback");
  if (isIP(host) === 0) return;
  const range = refusedRange(host);
  if (range !== undefined) throw refused(host, range);
}

function refused(host: string, range: string): RefusedAddress {
  return new RefusedAddress(`${host} is not public (${range}) and not in allow_hosts`);
}

function noAddress(hostname: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${hostname} has no address`), { code: "ENOTFOUND" });
}

/**
 * IPv4 ranges outside the public internet, with their purpose. Source: the IANA special-purpose address registry (RFC
 * 6890 and its updates).
 */
export const REFUSED_IPV4 = [
  ["0.0.0.0/8", "unspecified"],
  ["10.0.0.0/8", "private"],
  ["100.64.0.0/10", "carrier-grade NAT"],
  ["127.0.0.0/8", "loopback"],
  // Azure's host provides credentials to its machines here, although the range is public.
  ["168.63.129.16/32", "cloud metadata"],
  ["169.254.0.0/16", "link-local"],
  ["172.16.0.0/12", "private"],
  ["192.0.0.0/24", "reserved"],
  ["192.0.2.0/24", "documentation"],
  ["192.88.99.0/24", "reserved"],
  ["192.168.0.0/16", "private"],
  ["198.18.0.0/15", "benchmarking"],
  ["198.51.100.0/24", "documentation"],
  ["203.0.113.0/24", "documentation"],
  ["224.0.0.0/4", "multicast"],
  ["240.0.0.0/4", "reserved"],
] as const;

/** The same for IPv6. Addresses that embed an IPv4 address are blocked whatever it is. */
export const REFUSED_IPV6 = [
  ["::/128", "unspecified"],
  ["::1/128", "loopback"],
  ["::ffff:0:0/96", "IPv4-mapped"],
  ["64:ff9b::/96", "NAT64"],
  ["64:ff9b:1::/48", "NAT64"],
  ["2001::/23", "reserved"],
  ["2001:db8::/32", "documentation"],
  ["2002::/16", "6to4"],
  ["3fff::/20", "documentation"],
  ["fc00::/7", "unique-local"],
  ["fe80::/10", "link-local"],
  ["fec0::/10", "site-local"],
  ["ff00::/8", "multicast"],
] as const;

/** The only IPv6 range for the public internet: everything else is blocked as well. */
const PUBLIC_IPV6 = "2000::/3";

/**
 * Why an address is not in the public internet.
 * @param address IPv4 in dotted decimals, or IPv6 without brackets, optionally with a zone after `%`
 * @returns the kind of its range, such as `loopback`; undefined when it is public
 */
export function refusedRange(address: string): string | undefined {
  // A zone names an interface, which only makes sense for addresses that are not public.
  const bare = address.replace(/%.*$/s, "");
  switch (isIP(bare)) {
    case 4:
      return IPV4.find(({ list }) => list.check(bare, "ipv4"))?.kind;
    case 6:
      return (
        IPV6.find(({ list }) => list.check(bare, "ipv6"))?.kind ??
        (PUBLIC.check(bare, "ipv6") ? undefined : "reserved")
      );
    default:
      return "malformed";
  }
}

const IPV4 = REFUSED_IPV4.map(([range, kind]) => ({ kind, list: listOf(range, "ipv4") }));
const IPV6 = REFUSED_IPV6.map(([range, kind]) => ({ kind, list: listOf(range, "ipv6") }));
const PUBLIC = listOf(PUBLIC_IPV6, "ipv6");

function listOf(range: string, family: "ipv4" | "ipv6"): BlockList {
  const [network = "", bits] = range.split("/");
  const list = new BlockList();
  list.addSubnet(network, Number(bits), family);
  return list;
}
