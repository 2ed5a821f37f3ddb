import * as fc from "fast-check";
import { describe, expect, onTestFinished } from "vitest";
import { quickTest as test, repeatedTest, runCount } from "../../slow-test.ts";
import type { JsonObject } from "../../../src/core/json.ts";
import { quoteWords } from "../../../src/core/shell-words.ts";
import { Gateway } from "../../../src/daemon/agent-gateway.ts";
import { folder, Lines } from "../engine/orcs/engine.ts";
import { codexEventOf, patchOf } from "../formats/codex-events.ts";

// Codex applies a patch that a command line passes to apply_patch: guards of edits have to see it.

const GUARD = `
[[hooks]]
id = "no-secrets"
point = "tool.pre_execute"
match = { tool = "edit|write", path = "secrets/**" }
handler_inline = 'return orcs.deny("secrets are not edited")'
`;

/** A gateway with these hooks, and the reason of a denial of a command, or undefined. */
type Ask = (command: string, fields?: JsonObject) => Promise<string | undefined>;

/** The reason of a denial of a command, or undefined. */
function asking(gateway: Gateway): Ask {
  return async (command, fields = {}) => {
    const event = codexEventOf("PreToolUse", { tool_input: { command }, ...fields });
    const { output } = await gateway.answer("codex", JSON.stringify(event));
    const specific = output?.["hookSpecificOutput"] as JsonObject | undefined;
    return specific?.["permissionDecision"] === "deny"
      ? (specific["permissionDecisionReason"] as string)
      : undefined;
  };
}

function gatewayWith(toml: string): Gateway {
  const dir = folder({ "orcs.toml": toml });
  return new Gateway({ cwd: dir, config: "orcs.toml" }, new Lines());
}

/** A gateway for one test. */
function gateway(toml: string): Gateway {
  const made = gatewayWith(toml);
  onTestFinished(() => made.close());
  return made;
}

const PATCH = patchOf("*** Update File: secrets/key");
const HARMLESS = patchOf("*** Update File: src/a.ts");
const heredoc = (patch: string, program = "apply_patch"): string =>
  `${program} <<'EOF'\n${patch}\nEOF`;

const DENIED: readonly (readonly [string, string])[] = [
  ["a here-document", heredoc(PATCH)],
  ["without quotes", `apply_patch <<EOF\n${PATCH}\nEOF`],
  ["with tabs", `apply_patch <<-EOF\n\t${PATCH.replaceAll("\n", "\n\t")}\n\tEOF`],
  ["the other name", heredoc(PATCH, "applypatch")],
  ["a path of the program", heredoc(PATCH, "/usr/bin/apply_patch")],
  ["capitals, where file names ignore them", heredoc(PATCH, "Apply_Patch")],
  ["an argument", quoteWords(["apply_patch", PATCH])],
  ["an argument in double quotes", `apply_patch "${PATCH}"`],
  ["a login shell", quoteWords(["bash", "-lc", heredoc(PATCH)])],
  ["a shell in a shell", quoteWords(["sh", "-c", quoteWords(["bash", "-lc", heredoc(PATCH)])])],
  ["a script on the standard input", `bash <<'SH'\n${heredoc(PATCH)}\nSH`],
  ["a directory", `cd secrets && ${heredoc(patchOf("*** Update File: key"))}`],
  ["a directory that may not exist", `cd nowhere; ${heredoc(PATCH)}`],
  [
    "a directory that may not exist, after a patch",
    `${heredoc(HARMLESS)}\ncd nowhere; ${heredoc(PATCH)}`,
  ],
  [
    "a directory that may not exist, and a name",
    `A=apply_patch && cd nowhere; ${heredoc(PATCH, "$A")}`,
  ],
  ["a directory that may not exist, and &&", `cd nowhere && true <<X\nX\n${heredoc(PATCH)}`],
  ["a directory that may not exist, and ||", `cd nowhere || ${heredoc(PATCH)}`],
  ["a directory and back", `cd src && ${heredoc(patchOf("*** Add File: ../secrets/key"))}`],
  ["pushd", `pushd secrets >/dev/null && ${heredoc(patchOf("*** Update File: key"))}`],
  ["a subshell", `(cd secrets && ${heredoc(patchOf("*** Delete File: key"))}\n)`],
  ["an unknown directory", `cd "$SOMEWHERE" && ${heredoc(patchOf("*** Update File: key"))}`],
  [
    "a directory that Codex reads in its own way",
    `cd "secrets$HOME" && ${heredoc(patchOf("*** Update File: key"))}`,
  ],
  ["a file that is moved there", heredoc(patchOf("*** Update File: a", "*** Move to: secrets/b"))],
  ["a new file", heredoc(patchOf("*** Add File: secrets/new"))],
  ["a removed file", heredoc(patchOf("*** Delete File: secrets/old"))],
  ["the second file", heredoc(patchOf("*** Update File: a", "*** Update File: secrets/b"))],
  ["the second patch", `${heredoc(HARMLESS)}\n${heredoc(PATCH)}`],
  ["after another command", `echo hi && ${heredoc(PATCH)}`],
  ["before another command", `${heredoc(PATCH)}\nnpm test`],
  ["a pipe", `cat <<'EOF' | apply_patch\n${PATCH}\nEOF`],
  ["a pipe from printf", `printf '%s\\n' ${quoteWords([PATCH])} | apply_patch`],
  ["a here-string", `apply_patch <<< ${quoteWords([PATCH])}`],
  ["a variable", `P=${quoteWords([PATCH])}; apply_patch "$P"`],
  ["the output of cat", `apply_patch "$(cat <<'EOF'\n${PATCH}\nEOF\n)"`],
  ["a name in a variable", `a=apply_; ${heredoc(PATCH, "${a}patch")}`],
  ["a name with quotes", heredoc(PATCH, `ap'ply'_"patch"`)],
  ["a name with a backslash", heredoc(PATCH, "apply\\_patch")],
  ["an unknown name", heredoc(PATCH, '"$TOOL"')],
  ["a name from a command", heredoc(PATCH, '"$(command -v apply_patch)"')],
  ["env", heredoc(PATCH, "env A=1 apply_patch")],
  ["command", heredoc(PATCH, "command apply_patch")],
  ["timeout", heredoc(PATCH, "timeout 5 apply_patch")],
  ["a function", `f() { apply_patch; }; ${heredoc(PATCH, "f")}`],
  ["a group", `{ apply_patch; } <<'EOF'\n${PATCH}\nEOF`],
  ["a condition", `if true; then ${heredoc(PATCH)}\nfi`],
  ["eval", `eval ${quoteWords([heredoc(PATCH)])}`],
  ["Codex's own program", quoteWords(["codex", "--codex-run-as-apply-patch", PATCH])],
  ["a header that only Codex accepts", heredoc("*** Begin Patch\n  *** update file:secrets/key")],
  ["ends of lines of Windows", heredoc(PATCH.replaceAll("\n", "\r\n"))],
  ["an absolute path", heredoc(patchOf("*** Update File: /project/secrets/key"))],
  ["a patch in a file", "apply_patch < x.patch"],
  ["a patch of another program", "git show HEAD:x.patch | apply_patch"],
  ["a patch from xargs", "xargs -0 apply_patch < x"],
  ["a patch in an unknown variable", 'apply_patch "$P"'],
  ["an unknown part", `apply_patch <<EOF\n${HARMLESS}\n$(cat more)\nEOF`],
  ["a variable in the content", `apply_patch <<EOF\n${HARMLESS.replace("+x", "+$x")}\nEOF`],
  ["two here-documents", `apply_patch <<A <<B\n${PATCH}\nA\n${HARMLESS}\nB`],
  [
    "an argument and a here-document",
    `cd src && apply_patch "" <<'B'\n${patchOf("*** Update File: ../secrets/key")}\nB`,
  ],
  ["an unknown name of a file", `apply_patch <<EOF\n${patchOf("*** Update File: $X/key")}\nEOF`],
  ["an unreadable line", `${heredoc(PATCH)}\necho "`],
  ["a line that is too long", `${heredoc(PATCH)}\n# ${"x".repeat(70_000)}`],
  ["an unreadable line with the patch behind", `echo $(( <<'EOF'\napply_patch "${PATCH}`],
];

describe("a guard of edits", () => {
  test("denies every line that applies a patch to its files, or may do so", async () => {
    const ask = asking(gateway(GUARD));
    const passed: string[] = [];
    for (const [name, line] of DENIED) {
      if (!(await ask(line))?.includes("secrets are not edited")) passed.push(name);
    }
    expect(passed).toEqual([]);
  });

  test("denies the request for a permission", async () => {
    const toml = GUARD.replace("tool.pre_execute", "auth.pre_check");
    const made = gateway(toml);
    const event = codexEventOf("PermissionRequest", { tool_input: { command: heredoc(PATCH) } });
    expect(JSON.stringify(await made.answer("codex", JSON.stringify(event)))).toContain('"deny"');
  });

  repeatedTest("denies a patch in any place of a line", async () => {
    const ask = asking(gateway(GUARD));
    const around = fc.constantFrom("", "true && ", "cd src; ", "echo a | cat; ", "( ", "! ");
    const wrap = fc.constantFrom(
      (line: string) => line,
      (line: string) => quoteWords(["bash", "-lc", line]),
      (line: string) => `eval ${quoteWords([line])}`,
      (line: string) => `${line}\nls`,
    );
    await fc.assert(
      fc.asyncProperty(fc.array(around, { maxLength: 2 }), wrap, wrap, async (before, a, b) => {
        const open = before.filter((part) => part === "( ").length;
        const line = a(b(`${before.join("")}${heredoc(PATCH)}\n${")".repeat(open)}`));
        expect(await ask(line)).toContain("secrets are not edited");
      }),
      { numRuns: runCount(60) },
    );
  });
});

test.each([
  ["another file", heredoc(HARMLESS)],
  ["another file below a directory", `cd src && ${heredoc(patchOf("*** Update File: secrets"))}`],
  ["no patch", "git apply x.patch && echo apply_patch"],
  ["a question", "command -v apply_patch; apply_patch --help"],
  ["a patch that is only printed", `cat <<'EOF' > x.patch\n${HARMLESS}\nEOF`],
  ["an unreadable line without a patch", 'echo "'],
])("%s passes", async (_name, line) => expect(await asking(gateway(GUARD))(line)).toBeUndefined());

describe("hooks of edits and of commands", () => {
  const both = `
    [[hooks]]
    id = "of-commands"
    point = "tool.pre_execute"
    match = { tool = "exec" }
    handler_inline = 'if ctx.payload.args.command:find("curl", 1, true) then return orcs.deny("no curl") end'
    ${GUARD}`;

  test("can both deny a line", async () => {
    const ask = asking(gateway(both));
    expect(await ask(`${heredoc(HARMLESS)}\ncurl x`)).toContain("no curl");
    expect(await ask(`${heredoc(PATCH)}\nls`)).toContain("secrets are not edited");
    expect(await ask(`${heredoc(HARMLESS)}\nls`)).toBeUndefined();
  });

  test("see the edit as one, relative to the directory of the event", async () => {
    const ask = asking(
      gateway(`
      [[hooks]]
      point = "tool.pre_execute"
      match = { tool = "edit" }
      handler_inline = '''
        local p = ctx.payload
        return orcs.deny(table.concat({ p.tool_name, p.cwd, table.concat(p.args.path, ","), p.host.tool_name,
          (p.args.patch:gsub("\\n", "|")) }, " "))
      '''`),
    );
    const line = `cd src/x && ${heredoc(patchOf("*** Update File: a.ts", "*** Move to: ../b.ts"))}`;
    expect(await ask(line)).toContain(
      "edit /project src/x/a.ts,src/b.ts apply_patch " +
        "*** Begin Patch|*** Update File: src/x/a.ts|+x|*** Move to: src/b.ts|+x|*** End Patch",
    );
  });

  test("deny the patch of a line that a hook of commands wrote", async () => {
    const ask = asking(
      gateway(`
      [[hooks]]
      id = "rewrites"
      point = "tool.pre_execute"
      match = { tool = "exec" }
      handler_inline = '''
        ctx.payload.args.command = [==[${heredoc(PATCH)}]==]
        return orcs.allow("it is the same")
      '''
      ${GUARD}`),
    );
    expect(await ask("ls")).toContain("secrets are not edited");
  });

  test("cannot rewrite a patch in a line: it is denied", async () => {
    const ask = asking(
      gateway(`
      [[hooks]]
      id = "rewrites"
      point = "tool.pre_execute"
      match = { tool = "edit" }
      handler_inline = 'ctx.payload.args.patch = ctx.payload.args.patch:gsub("x", "y")'`),
    );
    expect(await ask(heredoc(HARMLESS))).toMatch(/patch.*command line/);
    expect(await ask("ls")).toBeUndefined();
  });

  test("an edit that is allowed does not allow the line", async () => {
    const toml = `
      [[hooks]]
      point = "auth.pre_check"
      match = { tool = "edit" }
      handler_inline = 'return orcs.allow("an edit")'`;
    const made = gateway(toml);
    const event = codexEventOf("PermissionRequest", {
      tool_input: { command: `${heredoc(HARMLESS)}\nrm -rf src` },
    });
    const { output } = await made.answer("codex", JSON.stringify(event));
    expect(JSON.stringify(output ?? null)).not.toContain("allow");
  });

  test("both see the result, and withhold it", async () => {
    const toml = `
      [[hooks]]
      id = "post"
      point = "tool.post_execute"
      match = { tool = "edit", path = "src/**" }
      handler_inline = 'return orcs.replace("edited: " .. ctx.payload.result)'
      [[hooks]]
      id = "withheld"
      point = "tool.post_execute"
      match = { tool = "edit", path = "secrets/**" }
      handler_inline = 'return orcs.deny("withheld")'`;
    const made = gateway(toml);
    const told = async (command: string) => {
      const event = codexEventOf("PostToolUse", { tool_input: { command }, tool_response: "ok" });
      return JSON.stringify((await made.answer("codex", JSON.stringify(event))).output ?? null);
    };
    expect(await told(heredoc(HARMLESS))).toContain("edited: ok");
    expect(await told(heredoc(PATCH))).toContain("withheld");
    expect(await told("ls")).toBe("null");
  });
});
