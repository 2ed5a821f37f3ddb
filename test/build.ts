import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { HOSTS } from "../src/formats/hosts.ts";
import { takeOwnPlaces } from "./own-places.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

/** Before the tests: `dist/`, for of what ships, some run it, and places of their own. */
export default function build(): () => void {
  // Whoever runs the tests may be a coding agent, to whom verbs that loosen are refused.
  for (const name of Object.values(HOSTS).flatMap((host) => host.agentVariables))
    delete process.env[name];
  execFileSync(process.execPath, ["scripts/build-once.js"], { cwd: ROOT, stdio: "inherit" });
  return takeOwnPlaces();
}
