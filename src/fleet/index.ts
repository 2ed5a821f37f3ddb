export { expectAcceptable } from "./bundles/acceptance.ts";
export { buildBundle } from "./bundles/build.ts";
export {
  bundleBytes,
  contentOf,
  openBundle,
  splitBundle,
  withSignature,
} from "./bundles/bundle-file.ts";
export type { BundleContent, UncheckedBundle } from "./bundles/bundle-file.ts";
export { type BundleState, BundleStore } from "./bundles/bundle-store.ts";
export { collectFiles } from "./bundles/collect-files.ts";
export type { BundleHeader } from "./bundles/header.ts";
export { type BundleSettings, installedBundles, usedUntil } from "./bundles/installed-bundle.ts";
export { generateKey, privateKey, publicKey, type PublicKey, signHeader } from "./bundles/keys.ts";
export { BUNDLE_LIMITS } from "./bundles/limits.ts";
export { loadBundles } from "./bundles/load-bundles.ts";
export { BundlePoller, type Polled } from "./bundles/poller.ts";
export { pullBundle } from "./bundles/pull.ts";
export { pathOf, putBundle, shownUrl } from "./bundles/transport.ts";
export { type Shipped, Shipper } from "./shipping/shipper.ts";
export { type ReceivedReport, verifyReceived } from "./shipping/verify-received.ts";
