import { isIP } from "node:net";
import * as fc from "fast-check";
import { describe, expect } from "vitest";
import {
  refusedRange,
  REFUSED_IPV4,
  REFUSED_IPV6,
} from "../../../../src/engine/handlers/address-guard.ts";
import { quickTest as it, repeatedTest, runCount } from "../../../slow-test.ts";

describe("refusedRange of an address", () => {
  const refused: Readonly<Record<string, readonly string[]>> = {
    unspecified: ["0.0.0.0", "0.1.2.3", "0.255.255.255", "::", "0:0:0:0:0:0:0:0"],
    loopback: ["127.0.0.1", "127.255.255.255", "127.0.0.53", "::1", "0:0:0:0:0:0:0:1"],
    private: [
      "10.0.0.0",
      "10.255.255.255",
      "172.16.0.0",
      "172.31.255.255",
      "192.168.0.0",
      "192.168.255.255",
    ],
    "carrier-grade NAT": ["100.64.0.0", "100.100.100.200", "100.127.255.255"],
    "cloud metadata": ["168.63.129.16"],
    "link-local": [
      "169.254.0.0",
      "169.254.169.254",
      "169.254.255.255",
      "fe80::1",
      "febf::1",
      "fe80::1%eth0",
      "fe80::1%0",
    ],
    documentation: [
      "192.0.2.1",
      "198.51.100.1",
      "203.0.113.255",
      "2001:db8::1",
      "2001:0DB8::1",
      "3fff::1",
      "3fff:fff::1",
    ],
    benchmarking: ["198.18.0.0", "198.19.255.255"],
    multicast: ["224.0.0.1", "239.255.255.255", "ff02::1", "ff0e::1", "ff02::1%2"],
    reserved: [
      "192.0.0.192",
      "192.88.99.1",
      "240.0.0.1",
      "255.255.255.255",
      "::127.0.0.1",
      "::2",
      "100::1",
      "200::1",
      "1fff:ffff::1",
      "2001::1",
      "2001:0:7f00:1::",
      "2001:2::1",
      "2001:20::1",
      "2001:1ff:ffff::1",
      "4000::1",
      "5f00::1",
      "8000::1",
      "e000::1",
    ],
    "IPv4-mapped": [
      "::ffff:127.0.0.1",
      "::ffff:7f00:1",
      "::FFFF:8.8.8.8",
      "0:0:0:0:0:ffff:a9fe:a9fe",
    ],
    NAT64: ["64:ff9b::7f00:1", "64:ff9b::8.8.8.8", "64:ff9b:1::1", "64:ff9b:1:ffff::a00:1"],
    "6to4": ["2002::1", "2002:7f00:1::", "2002:ffff:ffff::1"],
    "unique-local": ["fc00::1", "fd00:ec2::254", "fdff:ffff::1"],
    "site-local": ["fec0::1", "feff::1"],
    malformed: [
      "",
      "localhost",
      "127.1",
      "0x7f.1",
      "2130706433",
      "256.0.0.1",
      "127.0.0.1:80",
      "[::1]",
      "01.2.3.4",
      "1.2.3.4 ",
      "::1::",
      "%eth0",
      "1.2.3.4\n",
    ],
  };
  it.each(Object.entries(refused).flatMap(([kind, all]) => all.map((each) => [each, kind])))(
    "%s is %s",
    (address, kind) => {
      expect(refusedRange(address)).toBe(kind);
    },
  );

  it("every range is covered by this test", () => {
    const kinds = new Set([...REFUSED_IPV4, ...REFUSED_IPV6].map(([, kind]) => kind));
    expect([...kinds].filter((kind) => !refused[kind])).toEqual([]);
  });

  it.each([
    "1.0.0.0",
    "1.1.1.1",
    "8.8.8.8",
    "9.255.255.255",
    "11.0.0.0",
    "100.63.255.255",
    "100.128.0.0",
    "126.255.255.255",
    "128.0.0.0",
    "168.63.129.15",
    "168.63.129.17",
    "169.253.255.255",
    "169.255.0.0",
    "172.15.255.255",
    "172.32.0.0",
    "192.0.1.0",
    "192.167.255.255",
    "192.169.0.0",
    "198.17.255.255",
    "198.20.0.0",
    "223.255.255.255",
    "2000::1",
    "2001:200::1",
    "2001:4860:4860::8888",
    "2001:db7:ffff::1",
    "2001:db9::",
    "2003::1",
    "2606:4700:4700::1111",
    "2a00:1450::1",
    "3ffe::1",
    "3fff:1000::1",
  ])("%s is public", (address) => {
    expect(refusedRange(address)).toBeUndefined();
  });

  repeatedTest("is defined exactly within the listed ranges", () => {
    const v4 = REFUSED_IPV4.map(([range]) => parsed(range, 32));
    const v6 = REFUSED_IPV6.map(([range]) => parsed(range, 128));
    const PUBLIC = parsed("2000::/3", 128);
    fc.assert(
      fc.property(anywhere(v4, 32), (bits) => {
        const expected = v4.some((range) => holds(range, bits, 32));
        expect(refusedRange(dotted(bits)) !== undefined).toBe(expected);
      }),
      { numRuns: runCount(2_000) },
    );
    fc.assert(
      fc.property(anywhere([...v6, PUBLIC], 128), (bits) => {
        const address = new URL(`http://[${colons(bits)}]/`).hostname.slice(1, -1);
        const expected = v6.some((range) => holds(range, bits, 128)) || !holds(PUBLIC, bits, 128);
        expect(refusedRange(address) !== undefined).toBe(expected);
        expect(refusedRange(colons(bits))).toBe(refusedRange(address));
      }),
      { numRuns: runCount(2_000) },
    );
  });

  it("is defined for text that is no address", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        if (isIP(text) === 0) expect(refusedRange(text)).toBeDefined();
      }),
    );
  });
});

interface Range {
  readonly network: bigint;
  readonly prefix: number;
}

/** A model of its own: addresses as numbers. */
function parsed(range: string, width: 32 | 128): Range {
  const [network = "", prefix] = range.split("/");
  return {
    network: width === 32 ? fromDotted(network) : fromColons(network),
    prefix: Number(prefix),
  };
}

function holds({ network, prefix }: Range, bits: bigint, width: number): boolean {
  const shift = BigInt(width - prefix);
  return bits >> shift === network >> shift;
}

/** Any address, with those at the edges of ranges and in them not rare. */
function anywhere(ranges: readonly Range[], width: 32 | 128): fc.Arbitrary<bigint> {
  const max = (1n << BigInt(width)) - 1n;
  const near = fc
    .tuple(
      fc.constantFrom(...ranges),
      fc.bigInt({ min: 0n, max }),
      fc.constantFrom("first", "last", "before", "after", "in"),
    )
    .map(([{ network, prefix }, random, where]) => {
      const size = 1n << BigInt(width - prefix);
      const at = { first: 0n, last: size - 1n, before: -1n, after: size, in: random % size }[where];
      return (network + (at ?? 0n)) & max;
    });
  return fc.oneof(near, fc.bigInt({ min: 0n, max }));
}

function fromDotted(text: string): bigint {
  return text.split(".").reduce((sum, part) => (sum << 8n) | BigInt(part), 0n);
}

function fromColons(text: string): bigint {
  const [head = "", tail] = text.split("::");
  const groups = (part: string | undefined): string[] => (part ? part.split(":") : []);
  const front = groups(head);
  const back = groups(tail);
  const zeros = tail === undefined ? 0 : 8 - front.length - back.length;
  const all = [...front, ...Array.from({ length: zeros }, () => "0"), ...back];
  return all.reduce((sum, group) => (sum << 16n) | BigInt(`0x${group}`), 0n);
}

function dotted(bits: bigint): string {
  return [24n, 16n, 8n, 0n].map((shift) => String((bits >> shift) & 255n)).join(".");
}

function colons(bits: bigint): string {
  const groups = Array.from({ length: 8 }, (_, i) => (bits >> BigInt(112 - 16 * i)) & 0xffffn);
  return groups.map((group) => group.toString(16)).join(":");
}
