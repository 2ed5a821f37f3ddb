import type { LoadBundleFinder } from "../../config/index.ts";

/** Loaded only when a configuration names a bundle: the start of a hook without one pays nothing. */
export const loadBundles: LoadBundleFinder = async () =>
  (await import("./installed-bundle.ts")).installedBundles();
