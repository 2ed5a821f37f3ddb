import { pathToFileURL } from "node:url";
import { messageOf, OrcsError } from "../core/errors.ts";
import { nearest } from "../core/text.ts";

/** A function of a module, called like a TypeScript hook: with the context and its bound calls. */
export type ModuleFunction = (...args: never[]) => unknown;

/**
 * Import a module and get a function of it.
 * @param file absolute path
 * @param withinMs time limit for loading: a top-level await may never end
 * @param shown its path for messages
 * @throws OrcsError ORCS1018 when it cannot be loaded, or has no such function
 */
export async function importFunction(
  file: string,
  exportName: string,
  withinMs: number,
  shown = file,
): Promise<ModuleFunction> {
  let module: Record<string, unknown>;
  try {
    module = await withinTime(import(pathToFileURL(file).href), withinMs);
  } catch (thrown) {
    throw new OrcsError("ORCS1018", `${shown} cannot be loaded: ${messageOf(thrown)}`, { file });
  }
  const found = Object.hasOwn(module, exportName) ? module[exportName] : undefined;
  if (typeof found === "function") return found as ModuleFunction;
  const functions = Object.keys(module).filter((name) => typeof module[name] === "function");
  const meant = nearest(exportName, functions);
  const hint = meant === undefined ? "" : `; did you mean ${meant}?`;
  const what = found === undefined ? "has no export" : "has no function";
  throw new OrcsError("ORCS1018", `${shown} ${what} ${exportName}${hint}`, { file, exportName });
}

/** What counts is how long this thread had nothing to do: on a busy machine, a module that works needs longer. */
async function withinTime(loading: Promise<unknown>, ms: number): Promise<Record<string, unknown>> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const began = performance.eventLoopUtilization();
  const late = new Promise<never>((_, reject) => {
    const look = (): void => {
      const left = ms - performance.eventLoopUtilization(began).idle;
      if (left > 1) timer = setTimeout(look, left);
      else reject(new Error(`it took longer than ${Math.round(ms)} ms`));
    };
    timer = setTimeout(look, ms);
  });
  try {
    return (await Promise.race([loading, late])) as Record<string, unknown>;
  } finally {
    clearTimeout(timer);
  }
}
