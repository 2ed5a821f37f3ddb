/** Bytes in use after garbage collection, WASM memory included; undefined when node was not given --expose-gc. */
export async function memoryInUse(): Promise<number | undefined> {
  if (!globalThis.gc) return undefined;
  for (let i = 0; i < 3; i++) {
    await new Promise((resolve) => setImmediate(resolve));
    globalThis.gc();
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
