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
export { BundleStore } from "./bundles/bundle-store.ts";
export type { BundleState } from "./bundles/bundle-store.ts";
export { collectFiles } from "./bundles/collect-files.ts";
export type { BundleHeader, BundleStatement } from "./bundles/header.ts";
export { installedBundles, usedUntil } from "./bundles/installed-bundle.ts";
export type { BundleSettings } from "./bundles/installed-bundle.ts";
export { generateKey, privateKey, publicKey, signHeader } from "./bundles/keys.ts";
export type { PublicKey } from "./bundles/keys.ts";
export { BUNDLE_LIMITS } from "./bundles/limits.ts";
export { loadBundles } from "./bundles/load-bundles.ts";
export { BundlePoller } from "./bundles/poller.ts";
export type { Polled } from "./bundles/poller.ts";
export { pullBundle } from "./bundles/pull.ts";
export type { Pulled } from "./bundles/pull.ts";
export { pathOf, putBundle, shownUrl } from "./bundles/transport.ts";
export { Shipper } from "./shipping/shipper.ts";
export type { Shipped } from "./shipping/shipper.ts";
export { verifyReceived } from "./shipping/verify-received.ts";
export type { ReceivedReport } from "./shipping/verify-received.ts";
