import { isFile } from "../machine/index.ts";
import { join } from "node:path";
import { quoteWords } from "../core/index.ts";

/** A function of a Python module, `package.module.function`, as `type = "python"` of MassGen names it (seed 004). */
export const PYTHON_NAME = /^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+$/;

/**
 * The command line that calls a Python function with a `HookEvent` of MassGen and prints its `HookResult`. Modules are
 * found beside the configuration and where Python finds installed ones, not in the working directory, which could
 * replace a guard. What cannot be imported ends with 126, which the protocol reads as a handler that did not start.
 */
export function pythonCommand(name: string): string {
  return quoteWords(["python3", "-c", CALL_FUNCTION, name]);
}

/** Python's own modules come first: a file beside the configuration must not replace one of them here. */
const CALL_FUNCTION = `
import os, sys
sys.path[:] = [path for path in sys.path if path]
import datetime, importlib, json, types
sys.dont_write_bytecode = True
sys.path.insert(0, os.environ["ORCS_DIR"])
name = sys.argv[1]
printed, sys.stdout = sys.stdout, sys.stderr

def cannot_start(error):
    print(f"cannot import {name}: {error!r}", file=sys.stderr)
    sys.exit(126)

try:
    module, _, function = name.rpartition(".")
    call = getattr(importlib.import_module(module), function)
    if not callable(call):
        raise TypeError("it is not a function")
except BaseException as error:
    cannot_start(error)
event = types.SimpleNamespace(**json.load(sys.stdin))
event.timestamp = datetime.datetime.fromisoformat(event.timestamp.replace("Z", "+00:00"))
try:
    result = call(event)
    if hasattr(result, "__await__"):
        import asyncio
        async def wait():
            return await result
        result = asyncio.run(wait())
except ImportError as error:
    cannot_start(error)
except SystemExit as error:
    raise RuntimeError(f"{name} ended the process with {error.code}")
if hasattr(result, "__dataclass_fields__"):
    import dataclasses
    result = dataclasses.asdict(result)
elif hasattr(result, "__dict__"):
    result = vars(result)
if result is not None:
    json.dump(result, printed, default=str)
`;

/** The files from which a Python function may be loaded, and whether it is certain that one of them is. */
export interface PythonCode {
  /** Absolute paths in the folder of the configuration; most do not exist. */
  readonly files: readonly string[];
  /** Otherwise it may be loaded from an installed package. */
  readonly isHere: boolean;
}

/** The code of a Python function, as Python searches it. @param folder of its configuration, or the copy of it */
export function pythonCode(name: string, folder: string): PythonCode {
  const parts = name.split(".").slice(0, -1);
  const modules = parts.map((_, i) => join(folder, ...parts.slice(0, i + 1)));
  const packages = modules.map((path) => join(path, "__init__.py"));
  const [own = ""] = modules.slice(-1);
  // A folder without `__init__.py` is a package only if no installed one has the name.
  const isHere =
    packages.slice(0, -1).every(isFile) && packages.slice(-1).concat(`${own}.py`).some(isFile);
  return { files: [...packages, ...modules.map((path) => `${path}.py`)], isHere };
}
