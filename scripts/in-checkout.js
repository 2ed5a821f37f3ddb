// Runs TypeScript of the checkout: bundled into one file, whose modules find files beside themselves, not beside it.
import { pathToFileURL } from "node:url";
import { rolldown } from "rolldown";

const OWN_URL = {
  name: "own-url",
  transform: (code, file) =>
    code.replaceAll("import.meta.url", () => JSON.stringify(pathToFileURL(file).href)),
};

/**
 * @param input absolute path of a file
 * @param program the bundle, in the checkout, for the packages that it imports
 * @returns what the file exports
 */
export async function importBundled(input, program) {
  const bundle = await rolldown({ input, platform: "node", external: /^[^./]/, plugins: [OWN_URL] });
  await bundle.write({ file: program, format: "esm", codeSplitting: false });
  return import(pathToFileURL(program).href);
}
