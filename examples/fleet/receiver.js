import { appendFile, mkdir } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";

const MAX_BYTES = 64 * 2 ** 20;

/**
 * A receiver of audit logs: it appends what machines send to a file for each machine, and confirms it when it is in the
 * file. That is all that `orcs audit verify --received` needs. In front of a real one, a proxy has TLS and checks
 * tokens.
 */
export async function startReceiver(folder, token) {
  await mkdir(folder, { recursive: true });
  const state = { requests: 0, lines: 0, statuses: new Map(), url: "", close };
  /** Batches of one machine are written one after another. */
  const turns = new Map();

  const server = createServer((request, response) => {
    take(request).then(
      (status) => response.writeHead(status).end(),
      () => response.writeHead(400).end(),
    );
  });

  async function take(request) {
    if (request.headers["authorization"] !== `Bearer ${token}`) return 401;
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const bytes = await promisify(gunzip)(Buffer.concat(chunks), { maxOutputLength: MAX_BYTES });
    const lines = bytes.toString("utf8").split("\n").filter(Boolean);
    const { machine } = JSON.parse(lines[0]);
    // It becomes the name of a file.
    if (!/^[\w-]{1,64}$/.test(machine)) return 400;
    const turn = turns.get(machine) ?? Promise.resolve();
    const written = turn.then(() => appendFile(join(folder, `${machine}.ndjson`), bytes));
    turns.set(machine, written);
    await written;
    state.requests++;
    for (const line of lines) {
      const record = JSON.parse(line);
      if (record.orcs_status === 1) state.statuses.set(machine, record);
      else if (record.orcs_batch === undefined) state.lines++;
    }
    return 204;
  }

  function close() {
    server.closeAllConnections();
    server.close();
  }

  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  state.url = `http://127.0.0.1:${server.address().port}/logs`;
  return state;
}
