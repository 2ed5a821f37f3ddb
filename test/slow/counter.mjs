// Counts with two hooks until each has counted as often as it is told, and says what was counted: a call that the store
// has not answered in time is denied, must not count, and is made again.
import { createOrcs } from "../../dist/index.js";

const [, , config, times] = process.argv;
const quiet = { debug() {}, info() {}, warn() {}, error() {} };
const call = { tool_name: "exec", args: {} };
const AT_ONCE = 4;
let left = Number(times);
const said = { counted: 0, admitted: 0, denied: 0 };

/** An agent whose call was denied waits for a moment, and tries again. */
async function again() {
  said.denied++;
  await new Promise((resolve) => setTimeout(resolve, 5));
}

async function lane() {
  while (left-- > 0) {
    while ((await orcs.dispatch("tool.pre_execute", call)).action !== "continue") await again();
    said.counted++;
    for (;;) {
      const post = await orcs.dispatch("tool.post_execute", { ...call, result: null });
      const admitted = post.ctx.metadata.admitted;
      if (admitted === true) said.admitted++;
      if (admitted !== undefined) break;
      await again();
    }
  }
}

/** The next process of the machine: it takes back what was denied, before it uses the store. */
async function settle() {
  const next = await createOrcs({ config, logger: quiet });
  for (;;) {
    try {
      await next.stateValue("all");
      return next.close();
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

const orcs = await createOrcs({ config, logger: quiet });
await Promise.all(Array.from({ length: AT_ONCE }, lane));
await orcs.close();
await settle();
process.stdout.write(JSON.stringify(said));
