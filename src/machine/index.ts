export { FileLock, withFileLock } from "./files/file-lock.ts";
export { createFileReader } from "./files/files-run.ts";
export { hasMachineFile, machineFile, machineFolder } from "./files/machine-folder.ts";
export { OWN_LAUNCHER, OWN_MAIN, OWN_PACKAGE, OWN_PROGRAM, ownVersion } from "./files/own-files.ts";
export { isRunning, ownIdentity } from "./files/process-identity.ts";
export { programOnPath } from "./files/programs.ts";
export {
  bufferOf,
  bytesIfReadable,
  fileBytes,
  fileText,
  isFile,
  isFileFor,
  isFileForSure,
  isFolder,
  makeFolder,
  namesIn,
  objectInFile,
  textIfReadable,
} from "./files/read-bounded.ts";
export {
  followedPath,
  isFileInside,
  isWithin,
  realIfThere,
  realpath,
  upwards,
} from "./files/real-path.ts";
export { expectPrivateFolder, runtimeFolder } from "./files/runtime-folder.ts";
export { OPEN_MS, endSessionMarks, sessionMarks } from "./files/session-marks.ts";
export { isSecret, isSha256, secretDigest, sha256 } from "./files/sha256.ts";
export { shownPath } from "./files/shown-path.ts";
export {
  ANY_FILE,
  appendToFile,
  createFile,
  emptyIfLarge,
  failedWith,
  moveFile,
  openToAppend,
  replaceFile,
  replaceFileLater,
  shorten,
  stageFile,
  syncFolder,
  writeWhole,
} from "./files/stored-file.ts";
export type { StagedFile } from "./files/stored-file.ts";
export { createFiles, inTemporaryFolder } from "./files/temporary-folder.ts";
export {
  USER_FOLDERS,
  defaultUserDir,
  pinUserFolders,
  userFolder,
  userFolders,
  userStateDir,
} from "./files/user-folders.ts";
export type { UserFolders } from "./files/user-folders.ts";
export { type WeakPlace, weakPlace } from "./files/weak-places.ts";
export { agentIsRunning, agentProcess, ancestors, hasStarted } from "./spawn/ancestors.ts";
export type { Background } from "./spawn/background.ts";
export { endWhenBlocked, startWatchdog } from "./spawn/blocked-thread.ts";
export { type Lines, LineSplitter, LineWriter } from "./spawn/lines.ts";
export { ProcessSet, killGroup, startDetached } from "./spawn/processes.ts";
export { type PipedEnd, type PipedProcess, runPiped } from "./spawn/run-piped.ts";
export { type ProcessOutput, type ProcessResult, runProcess } from "./spawn/run-process.ts";
