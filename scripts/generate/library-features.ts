/** What hooks can govern in an agent of a library: the columns of the table in docs/how-to/libraries.md. */
export const FEATURES = [
  "deny",
  "rewrite",
  "ask",
  "mask",
  "stream",
  "subagents",
  "prompt",
  "session",
] as const;

type Feature = (typeof FEATURES)[number];

/** What the table says of a feature. */
interface Cell {
  /** Default: yes. */
  readonly text?: string;
  /** Title of the test that proves it; none where hooks govern nothing. */
  readonly test?: string;
  /** File of the test in test/unit/agents/adapters; default: that of the library. */
  readonly file?: string;
}

interface LibraryFeatures {
  /** Name in docs/how-to/libraries.md, and the heading of its section. */
  readonly label: string;
  /** File in test/unit/agents/adapters. */
  readonly file: string;
  readonly cells: Readonly<Record<Feature, Cell>>;
}

/** test/unit/agents/adapters/library-features.test.ts holds these tests against those that run. */
export const LIBRARY_FEATURES: readonly LibraryFeatures[] = [
  {
    label: "AI SDK",
    file: "ai-sdk.test.ts",
    cells: {
      deny: { test: "a denial is a tool error that the model reads, and the tool does not run" },
      rewrite: { test: "a rewrite reaches the tool, a replaced result the model" },
      ask: {
        test: "become the SDK's own: approved, the tool runs; the hooks have seen it each time",
      },
      mask: { test: "a rewrite reaches the tool, a replaced result the model" },
      stream: {
        test: "streamText: what a generator tool yields arrives piece by piece, as the hooks left it",
      },
      subagents: { text: "if their tools are governed, too" },
      prompt: {
        test: "a rewrite reaches the model in every call, in later runs too, with its files",
        file: "ai-sdk-model.test.ts",
      },
      session: { test: "parallel calls are those of the session, each with its id" },
    },
  },
  {
    label: "Claude Agent SDK",
    file: "claude-agent-sdk.test.ts",
    cells: {
      deny: { test: "a denial, in the tool's names of orcs" },
      rewrite: { test: "a rewrite, under the names of the SDK" },
      ask: { test: "a question is one for canUseTool" },
      mask: { test: "a masked result" },
      stream: { text: "results only" },
      subagents: { test: "the session, the directory and the subagent are those of the event" },
      prompt: {
        text: "deny, add",
        test: "a prompt that is denied, and a text for the model",
      },
      session: { test: "the session, the directory and the subagent are those of the event" },
    },
  },
  {
    label: "OpenAI Agents",
    file: "openai-agents.test.ts",
    cells: {
      deny: { test: "a denial is the output that the model reads, and the tool does not run" },
      rewrite: { test: "a rewrite reaches the tool, a masked result the model" },
      ask: { test: "can be answered in another process" },
      mask: { test: "a rewrite reaches the tool, a masked result the model" },
      stream: { test: "a streaming run passes the hooks" },
      subagents: { test: "the agents that an agent hands off to are governed, also in a circle" },
      prompt: {
        text: "deny",
        test: "a denied prompt does not reach the model: %s",
      },
      session: {
        test: "two calls at once are those of the session and of the agent, each with its id",
      },
    },
  },
  {
    label: "LangChain",
    file: "langchain.test.ts",
    cells: {
      deny: {
        test: "a denial is a message with an error that the model reads, and the tool does not run",
      },
      rewrite: {
        test: "a rewrite reaches the tool, a replaced result the model, with the artifact of the tool",
      },
      ask: { test: "are an interrupt in the form of the library; approved, the tool runs once" },
      mask: {
        test: "a rewrite reaches the tool, a replaced result the model, with the artifact of the tool",
      },
      stream: { test: "stream: the updates are those that the hooks left" },
      subagents: { text: "if they have the middleware, too" },
      prompt: {
        test: "their hooks run once for each message of the user; a rewrite reaches the model",
      },
      session: { test: "calls belong to the thread, or to the session if it has an id" },
    },
  },
  {
    label: "opencode",
    file: "opencode.test.ts",
    cells: {
      deny: { test: "hooks see our names; a denial is an error with the reason" },
      rewrite: { test: "a rewrite is in the same object, with the names of opencode" },
      ask: {
        text: "denied",
        test: "a question is a denial, unless the configuration lets it pass",
      },
      mask: { test: "a masked result is masked in the metadata, too, which opencode shows" },
      stream: { text: "results only" },
      subagents: { test: "the calls of a subagent are those of its own session" },
      prompt: { test: "a prompt is denied, or rewritten in the part that the user wrote" },
      session: { test: "the calls of a subagent are those of its own session" },
    },
  },
];
