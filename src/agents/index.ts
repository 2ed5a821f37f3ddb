export { acceptChanges, acceptNow, acceptingWrites, openChanges } from "./accepted/accept.ts";
export { answeredOutcome, waitsForSomebody } from "./answers/answered-outcome.ts";
export { PendingQuestions, type PendingQuestion } from "./answers/pending-questions.ts";
export { ChangeGuard } from "./accepted/change-guard.ts";
export {
  httpEndpointFile,
  httpServiceLog,
  newToken,
  readHttpEndpoint,
  tokenProof,
  whoListens,
  writeHttpEndpoint,
  writePrivateJson,
} from "./http-endpoint.ts";
export type { HttpEndpoint } from "./http-endpoint.ts";
export {
  frontMatterEvents,
  importSource,
  importSources,
  readHooks,
  readSettings,
  switchOf,
} from "./import/agent-settings.ts";
export type { AgentHook, ImportSource } from "./import/agent-settings.ts";
export { importHooks, type Imported } from "./import/import-hooks.ts";
export { translateMatcher } from "./import/translate-matcher.ts";
export { tomlComment, tomlElement } from "./import/write-toml.ts";
export { hasToken } from "./install/entries.ts";
export { readOrcsCommand, unwrapCommand } from "./install/entry-command.ts";
export type { OrcsCommand, WhenMissing } from "./install/entry-command.ts";
export { gatesToolCall, isDeniedWithoutOrcs } from "./install/fallback.ts";
export { isOrcsUrl, mayHaveEntries, readHooksSection, valueOf } from "./install/hooks-section.ts";
export { machineRecordsFolder, readRecord, recordsFolder } from "./install/install-record.ts";
export type { InstallRecord } from "./install/install-record.ts";
export {
  expectAdministrator,
  expectSafeProgram,
  expectSafeSettings,
  filesOfProgram,
  repair,
  weakProgram,
  weakSettings,
} from "./install/machine-safety.ts";
export {
  applyPlan,
  lostInstallations,
  ownInstallation,
  planInstall,
  planStatus,
  planSync,
  planToken,
  planUninstall,
  restoreInstallations,
  type InstallContext,
  type InstallNeeds,
  type InstallPlan,
  type PlanStatus,
  type SettingsPlan,
  type UsedPoints,
} from "./install/plan.ts";
export {
  isPluginText,
  loadsOrcs,
  planPlugin,
  planPluginRemoval,
  pluginFolder,
  pluginPath,
  unseenPoints,
} from "./install/plugin-file.ts";
export {
  isOpenToOthers,
  readSettingsFile,
  removeFolders,
  repositoryOf,
  settingsError,
  settingsText,
} from "./install/settings-file.ts";
export {
  SCOPES,
  TOKEN_VARIABLE,
  machineSettingsPath,
  placeHere,
  settingsFolder,
  settingsPath,
  settingsPaths,
} from "./install/settings-places.ts";
export type { OwnScope, Scope, SettingsPlace } from "./install/settings-places.ts";
export {
  defaultNeeds,
  mergedNeeds,
  neededEvents,
  noticeNeeds,
  pointsInUse,
  pointsWithoutEvent,
} from "./install/wanted-events.ts";
export type { NeededEvent, UsedPoint } from "./install/wanted-events.ts";
export { installationStatus, lostInstallationText } from "./installation.ts";
export type { InstallationStatus } from "./installation.ts";
export { selfGuardOptions } from "./self-guard.ts";
