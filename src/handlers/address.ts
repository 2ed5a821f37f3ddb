import { BlockList, isIP } from "node:net";

/**
 * IPv4 ranges that are not the public internet, and what each is. Source: the IANA special-purpose address
 * registry (RFC 6890 and its updates).
 */
export const REFUSED_IPV4 = [
  ["0.0.0.0/8", "unspecified"],
  ["10.0.0.0/8", "private"],
  ["100.64.0.0/10", "carrier-grade NAT"],
  ["127.0.0.0/8", "loopback"],
  // Azure's host gives credentials to the machines on it here, although the range is public.
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

/** The same for IPv6. Those that hold an IPv4 address are refused whatever it is. */
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

/** Of IPv6, this alone is given out for the public internet: whatever lies beyond is refused, too. */
const PUBLIC_IPV6 = "2000::/3";

/**
 * Why an address is none of the public internet.
 *
 * @param address IPv4 in dotted decimals, or IPv6 without brackets, a zone after `%` allowed
 * @returns the kind of its range, such as `loopback`; undefined when it is public
 */
export function refusedRange(address: string): string | undefined {
  // A zone names an interface; it only makes sense for addresses that are not public.
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
