export { checkFiles, checkOptions } from "./check/check-files.ts";
export { checkConfiguration, type Checked } from "./check/check.ts";
export { type CheckedHost, hostNoteText, hostReport } from "./check/host-notes.ts";
export { mergedConfiguration } from "./check/merged-configuration.ts";
export type { MergedConfiguration, MergedKey } from "./check/merged-configuration.ts";
export { type RawHook, rawLayers } from "./check/raw-layers.ts";
export { lostEntries } from "./doctor/agent-checks.ts";
export { examine } from "./doctor/doctor.ts";
export { isPlainCall } from "./doctor/entry-probes.ts";
export { DENIED_LINE, probeGuards } from "./doctor/entry-probes.ts";
export type {
  ConfigurationReport,
  DoctorReport,
  EntryReport,
  Finding,
  HostReport,
  ServiceReport,
  SettingsReport,
} from "./doctor/report.ts";
export { checkSettings } from "./doctor/settings-checks.ts";
export { fuzz, type FuzzHole, type FuzzReport } from "./fuzz/fuzz-hooks.ts";
export type { Question } from "./inspect/api.ts";
export { ApprovalCodes } from "./inspect/approval-codes.ts";
export { History } from "./inspect/history.ts";
export { Inspector } from "./inspect/inspector.ts";
export { pageFiles } from "./inspect/page-files.ts";
export { pastDispatches } from "./inspect/past.ts";
export { type QuestionDeps, Questions } from "./inspect/questions.ts";
export { placeRoutes } from "./inspect/routes.ts";
export { ScriptSource } from "./inspect/service-source.ts";
export { ServiceSource } from "./inspect/service-source.ts";
export { openBothSets } from "./replay/baseline-hooks.ts";
export { saveCase, scriptEntryOf } from "./replay/recorded-case.ts";
export { NOT_COMPARED } from "./replay/replay-result.ts";
export type {
  NotCompared,
  PlacedHook,
  ReplayDifference,
  ReplaySide,
  ReplaySummary,
} from "./replay/replay-result.ts";
export { type OutsideHook, ReplaySet } from "./replay/replay-set.ts";
export { recordedEvents, replay, type ReplayOptions, type SetOptions } from "./replay/replay.ts";
export { TESTS_HEAD, markOf, savedTestText } from "./replay/saved-test.ts";
export { TestFile } from "./replay/test-file.ts";
export { updatedSets } from "./replay/baseline-hooks.ts";
