import {
  dynamicTool,
  generateText,
  jsonSchema,
  stepCountIs,
  streamText,
  tool,
  wrapLanguageModel,
} from "ai";
import { MockLanguageModelV3 } from "ai/test";
import { createOrcs } from "orcs";
import { governed, orcsMiddleware } from "orcs/ai-sdk";

// An agent of the AI SDK, with orcs as a user installs it. It compiles with the types of each version of the SDK, and
// prints what held when it ran: JSON, by name.

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};
type Sent = Parameters<MockLanguageModelV3["doGenerate"]>[0];
type Content = Awaited<ReturnType<MockLanguageModelV3["doGenerate"]>>["content"];

/** A model that gives these responses in order, and keeps what it was sent. */
function scripted(...responses: readonly Content[]) {
  const sent: Sent[] = [];
  const next = (given: Sent) => {
    sent.push(given);
    const content = responses[sent.length - 1] ?? [];
    const calls = content.some(({ type }) => type === "tool-call");
    const unified = calls ? ("tool-calls" as const) : ("stop" as const);
    return { content, finishReason: { unified, raw: undefined }, usage, warnings: [] };
  };
  const mock = new MockLanguageModelV3({
    doGenerate: async (given) => next(given),
    doStream: async (given) => {
      const { content, finishReason } = next(given);
      return {
        stream: new ReadableStream({
          start: (to) => {
            for (const [i, part] of content.entries()) {
              const id = String(i);
              if (part.type === "text") {
                to.enqueue({ type: "text-start", id });
                for (const delta of part.text) to.enqueue({ type: "text-delta", id, delta });
                to.enqueue({ type: "text-end", id });
              } else if (part.type === "tool-call") to.enqueue(part);
            }
            to.enqueue({ type: "finish", finishReason, usage });
            to.close();
          },
        }),
      };
    },
  });
  return { mock, sent };
}

const call = (id: string, toolName: string, input: object) =>
  ({ type: "tool-call", toolCallId: id, toolName, input: JSON.stringify(input) }) as const;
const text = (of: string): Content => [{ type: "text", text: of }];

const orcs = await createOrcs({ config: false });
let passed = 0;
orcs.on("tool.pre_execute", ({ payload: { args } }) => {
  passed++;
  if (args["path"] === "denied") return { action: "abort", reason: "private" };
  if (args["path"] === "asked") return { action: "continue", decision: "ask", reason: "sure?" };
  if (args["path"] === "old") args["path"] = "new";
  return undefined;
});
orcs.hook({
  point: "tool.post_execute",
  stream: true,
  handler: ({ payload: { result } }) =>
    typeof result === "string" && result.includes("secret")
      ? { action: "replace", result: result.replace("secret", "***") }
      : undefined,
});
orcs.on("prompt.pre_submit", ({ payload }) => {
  payload.prompt = payload.prompt.replace("1234", "****");
});
const offMask = orcs.on("llm.post_generate", ({ payload: { response_text } }) => ({
  action: "replace",
  result: String(response_text).replace("5678", "****"),
}));

const inputSchema = jsonSchema<{ path: string }>({ type: "object" });
const ran: string[] = [];
const tools = governed(orcs.session({ session_id: "s1" }), {
  read: tool({
    inputSchema,
    execute: async ({ path }) => {
      ran.push(path);
      return `a secret of ${path}`;
    },
  }),
  watch: tool({
    inputSchema,
    async *execute({ path }) {
      ran.push(path);
      yield "first secret";
      yield "last secret";
    },
  }),
  other: dynamicTool({
    inputSchema,
    execute: async (input) => `a secret of ${JSON.stringify(input)}`,
  }),
});
const middleware = orcsMiddleware(orcs);
const held: Record<string, boolean> = {};

{
  const { mock, sent } = scripted(
    [
      call("1", "read", { path: "old" }),
      call("2", "read", { path: "denied" }),
      call("3", "other", { path: "x" }),
    ],
    text("pin 5678"),
  );
  const { text: said, steps } = await generateText({
    model: wrapLanguageModel({ model: mock, middleware }),
    prompt: "my pin is 1234",
    tools,
    stopWhen: stepCountIs(3),
  });
  const told = JSON.stringify(sent);
  held["arguments are rewritten"] = ran.join() === "new";
  held["a denial is told to the model"] = told.includes("was denied by hook");
  held["a result is masked, of a dynamic tool too"] = !JSON.stringify([
    sent,
    steps.map(({ content }) => content),
  ]).includes("secret");
  held["a prompt is rewritten in each call"] = !told.includes("1234") && told.includes("****");
  held["a response is masked"] = said === "pin ****";
}

{
  const { mock } = scripted([call("1", "watch", { path: "x" })], text("done 5678"));
  const result = streamText({
    model: wrapLanguageModel({ model: mock, middleware }),
    prompt: "go",
    tools,
    stopWhen: stepCountIs(3),
  });
  const outputs: unknown[] = [];
  const pieces: string[] = [];
  for await (const part of result.fullStream) {
    if (part.type === "tool-result") outputs.push(part.output);
    if (part.type === "text-delta") pieces.push(part.text);
  }
  held["each value of a generator is masked"] = outputs.join() === "first ***,last ***,last ***";
  held["a stream is held back and masked"] = pieces.join("|") === "done ****";
}

{
  offMask();
  const { mock } = scripted(text("abc"));
  const model = wrapLanguageModel({ model: mock, middleware });
  const pieces: string[] = [];
  for await (const piece of streamText({ model, prompt: "go" }).textStream) pieces.push(piece);
  held["a stream passes where no hook may change it"] = pieces.join("|") === "a|b|c";
}

{
  ran.length = 0;
  passed = 0;
  const { mock } = scripted([call("1", "read", { path: "asked" })], text("done"));
  const asked = { model: mock, tools, stopWhen: stepCountIs(3) };
  const prompt = { role: "user" as const, content: "go" };
  const first = await generateText({ ...asked, messages: [prompt] });
  const request = first.content.find((part) => part.type === "tool-approval-request");
  held["a question is the SDK's own"] = request !== undefined && ran.length === 0;
  const answer = {
    type: "tool-approval-response" as const,
    approvalId: request?.approvalId ?? "",
    approved: true,
  };
  const messages = [
    prompt,
    ...first.response.messages,
    { role: "tool" as const, content: [answer] },
  ];
  await generateText({ ...asked, messages });
  held["approved, the call runs"] = ran.join() === "asked";
  held["it has passed the hooks once"] = passed === 1;
}

await orcs.close();
process.stdout.write(JSON.stringify(held));
