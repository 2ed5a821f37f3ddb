// Many simulated machines in this one process. Each polls as a service does and verifies what it gets with the code of
// orcs (src/fleet/bundles): fetch with ETag and Prefer: wait, signature, revision. It has no engine, no disk and no hooks, so
// what it shows is how fast a change gets to many machines, not how fast they load it.
//
//   node pollers.js URL KEY COUNT POLL_SECONDS
//
// It prints a line of JSON for each revision: {"revision", "at": [milliseconds since 1970, …]}, once all have it.
import { setTimeout as sleep } from "node:timers/promises";
import { expectAcceptable } from "../../build/fleet/bundles/acceptance.js";
import { openBundle } from "../../build/fleet/bundles/bundle-file.js";
import { publicKey } from "../../build/fleet/bundles/keys.js";
import { fetchBundle } from "../../build/fleet/bundles/transport.js";
import { ownVersion } from "../../build/machine/files/own-files.js";

const [url, key, count, poll] = process.argv.slice(2);
const keys = [publicKey(key)];
const version = ownVersion();
const arrived = new Map();
let refused = 0;

async function machine() {
  let etag;
  let last;
  for (;;) {
    let waits = false;
    try {
      const fetched = await fetchBundle(url, { etag, waitSeconds: 50 });
      waits = fetched.waits;
      if (fetched.bytes !== undefined) {
        const { header } = openBundle(fetched.bytes, keys);
        expectAcceptable(header, { now: Date.now(), version, last });
        const { name, revision, not_before } = header;
        last = { name, revision, not_before };
        etag = fetched.etag;
        arrive(header.revision);
      }
    } catch (thrown) {
      // Told at the end of the demo.
      if (refused++ === 0) console.error(`a simulated machine: ${thrown.message}`);
    }
    await sleep(waits ? 250 : 1000 * poll * (0.8 + 0.4 * Math.random()));
  }
}

function arrive(revision) {
  const at = arrived.get(revision) ?? [];
  arrived.set(revision, at);
  at.push(Date.now());
  if (at.length === Number(count)) console.log(JSON.stringify({ revision, at, refused }));
}

for (let i = 0; i < Number(count); i++) {
  void machine();
  // Machines do not start at the same moment.
  if (i % 50 === 49) await sleep(20);
}
