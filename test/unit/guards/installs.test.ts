import { expect, test } from "vitest";
import { createEffectReader } from "../../../src/guards/index.ts";
import { createShellReader } from "../../../src/matching/index.ts";

const reader = createEffectReader(createShellReader({ home: "/home/me", root: "/" }), "/work");

/** What a line installs or removes; `.` for what the project lists. */
function installs(line: string): string[] {
  const { effects } = reader.ofCall({ tool_name: "exec", args: { command: line }, cwd: "/work" });
  return effects
    .filter(({ kind }) => kind === "install")
    .map(({ target = "unknown", sure }) => `${sure ? "" : "?"}${target}`);
}

test.each([
  ["npm install", ["."]],
  ["npm i -D vitest @types/node", ["vitest", "@types/node"]],
  ["npm --prefix sub ci", ["."]],
  ["npm rm left-pad", ["left-pad"]],
  ["npm install --dry-run", []],
  ["npm test", []],
  ["npm run install", []],
  ["yarn", ["."]],
  ["yarn add x", ["x"]],
  ["pnpm -C sub add x", ["x"]],
  ["pip install -r requirements.txt", []],
  ["python3 -m pip install --user x==1", ["x==1"]],
  ["pip3 uninstall -y x", ["x"]],
  ["uv pip install x", ["x"]],
  ["poetry add x", ["x"]],
  ["sudo apt-get install -y curl", ["curl"]],
  ["yum remove curl", ["curl"]],
  ["apt list", []],
  ["apk add --no-cache curl", ["curl"]],
  ["pacman -Syu curl", ["curl"]],
  ["pacman -Ss curl", []],
  ["dpkg -i a.deb", ["a.deb"]],
  ["brew install jq", ["jq"]],
  ["cargo install ripgrep", ["ripgrep"]],
  ["cargo build", []],
  ["go get example.com/x", ["example.com/x"]],
  ["gem install x", ["x"]],
  ["bundle", ["."]],
  ["composer require a/b", ["a/b"]],
  ["npm i $X", ["unknown"]],
])("%s", (line, packages) => {
  expect(installs(line)).toEqual(packages);
});
