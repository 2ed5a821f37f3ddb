export { AuditLog } from "./audit/audit-log.ts";
export { BrokenLines, ChainVerifier, type Placed } from "./audit/chain-verifier.ts";
export {
  expectCheckpoints,
  makeCheckpoint,
  readCheckpoints,
  writeCheckpoint,
} from "./audit/checkpoint.ts";
export type { Checkpoint } from "./audit/checkpoint.ts";
export { type DamageKind, Findings, type Place } from "./audit/chain-verifier.ts";
export { type Head, readHead } from "./audit/head.ts";
export { type ChainedRecord, type Link, NEWLINE, NO_HASH } from "./audit/line.ts";
export { CURRENT, filesAside, firstSeqIn, opened, unreadable } from "./audit/log-files.ts";
export { type LogLine, readLog, tailLog } from "./audit/read-log.ts";
export { firstOf, type Piece, readForwards, recordIn } from "./audit/log-lines.ts";
export { verifyLog, type VerifyReport } from "./audit/verify-log.ts";
export { MAX_RECORD_LINE, headerText, isCall } from "./recording/format.ts";
export type {
  RecordHeader,
  RecordedCall,
  RecordedEvent,
  RecordedOutcome,
} from "./recording/format.ts";
export {
  COMPARED,
  holdsMask,
  outcomeDifference,
  sameButForMasks,
} from "./recording/outcome-difference.ts";
export type { OutcomeDifference } from "./recording/outcome-difference.ts";
export { readRecord, type RecordLine } from "./recording/read-record.ts";
export { callLine, eventLine, type Mask, recordedEvent } from "./recording/recorded-event.ts";
export { structuralEdits } from "./recording/recorded-event.ts";
export { RecordWriter, openRecord } from "./recording/write-record.ts";
export { ShadowTallies, WOULD, shadowReport } from "./shadow-report.ts";
export type { ShadowExample, ShadowReport, ShadowSelection } from "./shadow-report.ts";
