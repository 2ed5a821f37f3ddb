import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

/** Build `dist/` once before the tests: those of the command line and of the package run what ships. */
export default function build(): void {
  const cwd = fileURLToPath(new URL("..", import.meta.url));
  execFileSync("npm", ["run", "--silent", "build"], { cwd, stdio: "inherit" });
}
