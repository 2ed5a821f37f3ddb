export { ruleConditions } from "./foreign/cocode-file.ts";
export { handlerProblem, placesIn } from "./bundle-layer.ts";
export type { BundleFinder, FoundBundle, LoadBundleFinder } from "./bundle-layer.ts";
export type { CommandCode } from "./command-code.ts";
export { isCodeVariable } from "./command-programs.ts";
export { configurationError, diagnosticsOf, shownFile, sourceText } from "./config-error.ts";
export type { ConfigError, Finding, KeyPath } from "./config-error.ts";
export { CONFIG_NAME, LOCAL_NAME, exists, nearestConfig } from "./discover.ts";
export { extendsList, withExtended, withoutExtended } from "./extends-list.ts";
export type { FoundProject, TrustedFiles } from "./found-project.ts";
export {
  HANDLER_KEYS,
  isLua,
  variablesIn,
  writtenCommandCode,
  writtenHandlerCode,
} from "./handlers.ts";
export type { Handler, ShellHandler, WebhookHandler } from "./handlers.ts";
export { type HookEntry, isShadowEntry, type PlacedTest, splitByShadow } from "./hook-entry.ts";
export { pointSchema } from "./hook-schema.ts";
export { filesOfProject, findLayers } from "./layers.ts";
export type { Layer, LayerFiles, LayerOptions } from "./layers.ts";
export { type LiveEndpoint, liveFiles, type LiveHandler, processLine } from "./live-handler.ts";
export { agentHookId, clashing, loadConfig, type LoadedConfig } from "./load.ts";
export { packageNames, readLayerPackages, type UsedPackage } from "./packages/layer-packages.ts";
export {
  LOCK_NAME,
  differencesFromLock,
  expectLocked,
  hookDifferences,
  lockText,
  lockedPackage,
  readLock,
} from "./packages/lock-file.ts";
export type { Lock, LockedPackage } from "./packages/lock-file.ts";
export { packageModule } from "./packages/package-modules.ts";
export {
  NPM,
  expectInstalled,
  isPackageName,
  sealedPackageFile,
  splitPackagePath,
} from "./packages/package-name.ts";
export {
  MODULES,
  installScripts,
  luaFiles,
  packagePath,
  readPackage,
} from "./packages/read-package.ts";
export type { HookPackage } from "./packages/read-package.ts";
export { codePath, isPathInside, pathOfName } from "./path-inside.ts";
export { rawConfigIn, scriptDirsOf } from "./raw-config.ts";
export { checkSchema } from "./schema-errors.ts";
export { usesPackages, writtenHooks } from "./schema.ts";
export { scriptHookReader, type ScriptHookReader } from "./script-hook.ts";
export { findScript, SHIPPED_HOOKS, SHIPPED_MODULES } from "./scripts.ts";
export { withMode } from "./set-mode.ts";
export { namesScript, withoutShipped, withShipped } from "./shipped-tables.ts";
export { DEFAULT_SETTINGS, durationMs, filledSettings } from "./settings.ts";
export type { Settings, SettingsTable } from "./settings.ts";
export {
  NO_POSITIONS,
  diagnosticOf,
  movedPositions,
  placeOfContent,
  placeOfHook,
  sourcePositions,
} from "./source-positions.ts";
export type { Source } from "./source-positions.ts";
export { NOTHING_STATED, SPELLINGS, type StatedHook } from "./spellings.ts";
export { isTable, type Table, valueAt, valueOf } from "./table.ts";
export { eventSchema, hookTest, parseTime, testEvent, testSchema } from "./test-schema.ts";
export type {
  ExpectedCall,
  HookTest,
  HookTestExpectation,
  TestEvent,
  TextMatch,
} from "./test-schema.ts";
export { isToml, placeOfBadByte, readTomlFile, tomlTree } from "./toml-file.ts";
export { AcceptedFiles, contentOf, isAsAccepted, looksOf, restore } from "./trust/accepted.ts";
export type { AcceptedFile, FileContent, OpenChange } from "./trust/accepted.ts";
export { type ConfigPlace, configPlace } from "./trust/config-place.ts";
export { evaluateTrust } from "./trust/evaluate-trust.ts";
export {
  expectTrustable,
  inspectProject,
  projectFor,
  revoke,
  trust,
} from "./trust/inspect-project.ts";
export type { ProjectInspection } from "./trust/inspect-project.ts";
export { loadTrusted, type LoadTrustedOptions, type TrustedConfig } from "./trust/load-trusted.ts";
export { type MachinePlace, shownMachineFiles } from "./trust/machine-configuration.ts";
export {
  ModuleGraph,
  computedImports,
  linkPackages,
  readerOfEnvironment,
  unsealedModules,
} from "./trust/module-files.ts";
export {
  bundleText,
  trustNotices,
  trustWarnings,
  unknownNotice,
  untrustedText,
} from "./trust/notice.ts";
export type { Notice } from "./trust/notice.ts";
export { type Project, projectIn } from "./trust/project.ts";
export {
  MACHINE_STATE,
  PROJECT_STATE,
  chunkDigest,
  findModule,
  findPackageModule,
  handlerDigest,
  isShipped,
  moduleRoots,
  readScript,
  scriptSources,
} from "./trust/script-sources.ts";
export type { LuaEntry, ScriptSource } from "./trust/script-sources.ts";
export { sealableConfig } from "./trust/seal-config.ts";
export { Seal } from "./trust/seal.ts";
export { sealedCommand } from "./trust/sealed-command.ts";
export { TrustSet } from "./trust/trust-set.ts";
export { TrustStore, trustStorePath } from "./trust/trust-store.ts";
export { FRESH_MS, UserConfiguration } from "./trust/user-configuration.ts";
