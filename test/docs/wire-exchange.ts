import { mkdtempSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Daemon } from "../../src/daemon/service/daemon.ts";
import { configPlace } from "../../src/config/trust/config-place.ts";
import { Lines } from "../unit/engine/orcs/engine.ts";
import { addressIn } from "../unit/daemon/service-rig.ts";

const CALL_ID = /(?<="call":")[\w-]{16}(?=")/;

/**
 * Send the lines of an example to a service of the page's folder, and compare what it answers. A line with `→` is sent,
 * one with `←` is the answer. `CALL` is the id of a call.
 */
export async function wireExchange(dir: string, text: string): Promise<void> {
  const sockets = mkdtempSync(join(tmpdir(), "orcs-wire-"));
  const address = addressIn(sockets);
  const place = configPlace(dir, "orcs.toml");
  const daemon = new Daemon({ place, address, logger: new Lines(), isBackground: false });
  await daemon.start();
  const socket = connect(address.socket);
  try {
    const lines = createInterface({ input: socket })[Symbol.asyncIterator]();
    let call = "CALL";
    for (const line of text.trimEnd().split("\n")) {
      const content = line.slice(2);
      if (line.startsWith("→ ")) socket.write(`${content.replace('"CALL"', `"${call}"`)}\n`);
      else if (line.startsWith("← ")) {
        const { value } = (await lines.next()) as { value: string };
        call = CALL_ID.exec(value)?.[0] ?? call;
        const shown = value.replace(CALL_ID, "CALL").replaceAll(dir, "~/guarded");
        if (shown !== content) throw new Error(`it answers\n${shown}\nnot\n${content}`);
      } else throw new Error(`neither → nor ←: ${line}`);
    }
  } finally {
    socket.destroy();
    await daemon.stop();
    rmSync(sockets, { recursive: true, force: true });
  }
}
