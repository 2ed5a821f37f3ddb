import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { anthropicPosition, speakAnthropic } from "./anthropic.ts";
import { chatPosition, speakChat } from "./chat.ts";
import { geminiPosition, speakGemini } from "./gemini.ts";
import type { Speak } from "./model-server.ts";
import { openaiPosition, speakOpenai } from "./openai.ts";

/** One of the programs that orcs stands in front of, and how it is run against a scripted model. */
export interface Program {
  /** What npm calls it. */
  readonly package: string;
  readonly bin: string;
  /** What npm calls the Node that it runs on, if it does not run on the oldest that orcs does. */
  readonly node?: string;
  readonly speak: Speak;
  readonly position: (body: string, path: string) => number | undefined;
  /** The turn that runs a shell command. */
  shell(command: string): { tool: string; input: Readonly<Record<string, unknown>> };
  /** Files of its own that it wants, by their path below the home directory. */
  readonly home: Readonly<Record<string, string>>;
  /** Whether what hooks say to people is in what it prints; `codex exec` prints none of it, with `--json` or without. */
  readonly shows: boolean;
  /** Whether it ignores changed arguments, so that orcs denies the call and tells the model what they are. */
  readonly ignoresRewrites?: true;
  /** It shows no notice: while hooks are inactive, its calls are denied. */
  readonly showsNoNotice?: true;
  /** Whether orcs can have it send its events over HTTP. */
  readonly sendsHttp?: true;
  /** Path below the home directory of the file with which it loads orcs as a plugin. */
  readonly plugin?: string;
  /** How it is told of the plugin in plugins/: more arguments, or the folder below the home directory for a copy. */
  readonly packaged?: { readonly args: readonly string[] } | { readonly copy: string };
  /** The settings that it reads for all users of a machine; undefined if orcs writes none. */
  readonly everybody?: {
    /** Below /etc. */
    readonly file: string;
    /** How its user switches hooks off, and whether that ends these as well. */
    readonly off: {
      readonly what: string;
      readonly file: string;
      readonly text: string;
      readonly ends: boolean;
    };
  };
  /** A field of its own responses that a hook sets, and whether it had its effect. */
  readonly field?: {
    readonly what: string;
    /** A hook of `guard.lua`. */
    readonly lua: string;
    /** @param said what its model was asked */
    holds(home: string, said: string): boolean;
  };
  /** Another file of the project that it wants. */
  project?(url: string): Readonly<Record<string, string>>;
  args(url: string): readonly string[];
  env(url: string): Readonly<Record<string, string>>;
}

export const PLUGINS = fileURLToPath(new URL("../../../plugins", import.meta.url));
const PROMPT = "do what is to be done";
const GEMINI_SECURITY = { auth: { selectedType: "gemini-api-key" } };

function switchedOff(file: string, settings: object, ends: boolean) {
  const [what = ""] = Object.keys(settings);
  return { what, file, text: JSON.stringify(settings), ends };
}

export const PROGRAMS: Readonly<Record<string, Program>> = {
  "claude-code": {
    package: "@anthropic-ai/claude-code",
    bin: "claude",
    speak: speakAnthropic,
    position: anthropicPosition,
    shell: (command) => ({ tool: "Bash", input: { command, description: "a step" } }),
    everybody: {
      file: "claude-code/managed-settings.d/orcs.json",
      off: switchedOff(".claude/settings.json", { disableAllHooks: true }, false),
    },
    home: {},
    shows: true,
    sendsHttp: true,
    packaged: { args: ["--plugin-dir", join(PLUGINS, "claude-code")] },
    field: {
      what: "a hook gave the session a title",
      lua: `orcs.hook{ id = "title", point = "prompt.pre_submit",
  handler = function(ctx) ctx.payload.host_response = { sessionTitle = "titled by orcs" } end }`,
      holds: (home) => hasLine(join(home, ".claude/projects"), '"customTitle":"titled by orcs"'),
    },
    args: () => [
      "-p",
      PROMPT,
      "--allowedTools",
      "Bash",
      "--output-format",
      "stream-json",
      "--verbose",
      "--include-hook-events",
    ],
    env: (url) => ({
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: "scripted",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    }),
  },
  codex: {
    package: "@openai/codex",
    bin: "codex",
    speak: speakOpenai,
    position: openaiPosition,
    shell: (command) => ({ tool: "exec_command", input: { cmd: command } }),
    everybody: {
      file: "codex/hooks.json",
      off: {
        what: "features.hooks = false",
        file: ".codex/config.toml",
        text: "[features]\nhooks = false\n",
        ends: true,
      },
    },
    home: {},
    shows: false,
    args: (url) => [
      "exec",
      "--skip-git-repo-check",
      "--dangerously-bypass-approvals-and-sandbox",
      "--dangerously-bypass-hook-trust",
      "-c",
      `model_providers.scripted={name="scripted",base_url="${url}/v1",wire_api="responses",env_key="KEY"}`,
      "-c",
      'model_provider="scripted"',
      "-m",
      "scripted",
      PROMPT,
    ],
    env: () => ({ KEY: "scripted" }),
  },
  gemini: {
    package: "@google/gemini-cli",
    bin: "gemini",
    speak: speakGemini,
    position: geminiPosition,
    shell: (command) => ({
      tool: "run_shell_command",
      input: { command, description: "a step" },
    }),
    everybody: {
      file: "gemini-cli/settings.json",
      off: switchedOff(
        ".gemini/settings.json",
        { hooksConfig: { enabled: false }, security: GEMINI_SECURITY },
        false,
      ),
    },
    home: {
      ".gemini/settings.json": JSON.stringify({ security: GEMINI_SECURITY }),
    },
    shows: true,
    packaged: { copy: ".gemini/extensions/orcs" },
    field: {
      what: "a hook made the model call a tool",
      lua: `orcs.hook{ id = "tools", point = "tool.on_list",
  handler = function(ctx) ctx.payload.host_response = { mode = "ANY" } end }`,
      holds: (_home, said) => said.includes('"functionCallingConfig":{"mode":"ANY"'),
    },
    args: () => ["-p", PROMPT, "--yolo", "--skip-trust", "-m", "gemini-2.5-flash"],
    env: (url) => ({ GEMINI_API_KEY: "scripted", GOOGLE_GEMINI_BASE_URL: url }),
  },
  copilot: {
    package: "@github/copilot",
    bin: "copilot",
    speak: speakAnthropic,
    position: anthropicPosition,
    shell: (command) => ({ tool: "bash", input: { command, description: "a step" } }),
    everybody: {
      file: "github-copilot/policy.d/orcs.json",
      off: switchedOff(".copilot/settings.json", { disableAllHooks: true }, false),
    },
    home: {},
    shows: true,
    packaged: { args: ["--plugin-dir", join(PLUGINS, "copilot")] },
    args: () => ["-p", PROMPT, "--allow-all-tools", "--no-auto-update"],
    env: (url) => ({
      COPILOT_PROVIDER_BASE_URL: url,
      COPILOT_PROVIDER_TYPE: "anthropic",
      COPILOT_PROVIDER_API_KEY: "scripted",
      COPILOT_MODEL: "claude-sonnet-4.5",
      COPILOT_OFFLINE: "true",
    }),
  },
  qwen: {
    package: "@qwen-code/qwen-code@0.24.4",
    bin: "qwen",
    node: "node@24",
    speak: speakChat,
    position: chatPosition,
    shell: (command) => ({
      tool: "run_shell_command",
      input: { command, description: "a step", is_background: false },
    }),
    home: {},
    shows: false,
    ignoresRewrites: true,
    args: () => ["-p", PROMPT, "--yolo"],
    env: (url) => ({
      OPENAI_API_KEY: "scripted",
      OPENAI_BASE_URL: `${url}/v1`,
      OPENAI_MODEL: "scripted",
    }),
  },
  opencode: {
    package: "opencode-ai@1.18.33",
    bin: "opencode",
    showsNoNotice: true,
    speak: speakAnthropic,
    position: anthropicPosition,
    shell: (command) => ({ tool: "bash", input: { command, description: "a step" } }),
    home: {},
    shows: false,
    plugin: ".config/opencode/plugin/orcs.js",
    project: (url) => ({
      "opencode.json": JSON.stringify({
        model: "anthropic/claude-sonnet-4-5",
        provider: { anthropic: { options: { baseURL: `${url}/v1`, apiKey: "scripted" } } },
        permission: { "*": "allow" },
        autoupdate: false,
        share: "disabled",
      }),
    }),
    args: () => ["run", PROMPT],
    env: () => ({ OPENCODE_DISABLE_AUTOUPDATE: "1", OPENCODE_DISABLE_MODELS_FETCH: "1" }),
  },
};

/** Whether a file in a folder, or below it, has a text. */
function hasLine(folder: string, text: string): boolean {
  return readdirSync(folder, { recursive: true, withFileTypes: true }).some(
    (file) =>
      file.isFile() && readFileSync(join(file.parentPath, file.name), "utf8").includes(text),
  );
}
