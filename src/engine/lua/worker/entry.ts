import type { MessagePort } from "node:worker_threads";
import { parentPort, workerData } from "node:worker_threads";
import { threadId } from "../limits.ts";
import { WorkerMain } from "./worker-main.ts";
import type { FromWorker, ToWorker, WorkerStart } from "./protocol.ts";

// The entry of the worker thread of `[lua] isolation = "worker"`; no module imports this file.
if (!parentPort) throw new Error("this file must be run as a worker thread");
// Not with a top-level await, for it is bundled as CommonJS. A rejection is an error of this program; it ends the thread,
// and the engine starts another one.
void answer(parentPort);

async function answer(port: MessagePort): Promise<void> {
  const post = (message: FromWorker): void => port.postMessage(message);
  const inside = await WorkerMain.create(workerData as WorkerStart, post);
  port.on("message", (message: ToWorker) => void inside.receive(message));
  post({ type: "ready", thread: threadId() });
}
