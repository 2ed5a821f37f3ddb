import { parentPort, workerData } from "node:worker_threads";
import { threadId } from "../limits.ts";
import { WorkerMain } from "./worker-main.ts";
import type { FromWorker, ToWorker, WorkerStart } from "./protocol.ts";

// The entry of the worker thread of `[lua] isolation = "worker"`; no module imports this file.
const port = parentPort;
if (!port) throw new Error("this file must be run as a worker thread");
const post = (message: FromWorker): void => port.postMessage(message);
// Not with a top-level await, for it is bundled as CommonJS. A rejection is an error of this program; it ends the thread,
// and the engine starts another one.
void WorkerMain.create(workerData as WorkerStart, post).then((inside) => {
  port.on("message", (message: ToWorker) => void inside.receive(message));
  post({ type: "ready", thread: threadId() });
});
