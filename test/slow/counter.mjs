// Counts with two hooks as often as it is told, and says what was counted: a call that the store has not answered in
// time is denied, and must not count.
import { createOrcs } from "../../dist/index.js";

const [, , config, times] = process.argv;
const quiet = { debug() {}, info() {}, warn() {}, error() {} };
const call = { tool_name: "exec", args: {} };
const AT_ONCE = 4;
let left = Number(times);
const said = { counted: 0, admitted: 0, denied: 0 };

async function lane() {
  while (left-- > 0) {
    const pre = await orcs.dispatch("tool.pre_execute", call);
    if (pre.action === "continue") said.counted++;
    else said.denied++;
    const post = await orcs.dispatch("tool.post_execute", { ...call, result: null });
    if (post.ctx?.metadata.admitted === true) said.admitted++;
    else if (post.ctx?.metadata.admitted === undefined) said.denied++;
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
