import { pathToFileURL } from "node:url";

/** For rolldown: modules find files of the checkout from where they are, not from where the bundle is. */
export const OWN_ADDRESS = {
  name: "own-address",
  transform: (code, file) =>
    code.includes("import.meta.url")
      ? {
          code: code.replaceAll("import.meta.url", () => JSON.stringify(pathToFileURL(file).href)),
          map: null,
        }
      : undefined,
};
