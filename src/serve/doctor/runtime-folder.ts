import { messageOf } from "../../core/errors.ts";
import { existsSync } from "node:fs";
import { expectOwnFolder, runtimeFolder } from "../address.ts";
import { problem } from "./report.ts";
import type { Finding } from "./report.ts";

/** What is wrong with the folder for sockets. One that is not there yet is made when it is needed. */
export function runtimeFindings(): Finding[] {
  const folder = runtimeFolder();
  if (!existsSync(folder)) return [];
  try {
    expectOwnFolder(folder);
    return [];
  } catch (thrown) {
    return [problem(messageOf(thrown), `remove ${folder}, or chmod 700 it when it is yours`)];
  }
}
