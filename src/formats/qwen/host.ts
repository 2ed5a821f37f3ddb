import { AGENT_TOOLS, getOwn, isJsonObject } from "../../core/index.ts";
import { claudeAnswer, claudeEncoding, inAgentKeys } from "../claude-code/host.ts";
import { hostProtocol, showText, withContext, type Wish } from "../encode-event.ts";
import { NO_FIELDS } from "../host-fields.ts";
import { resultText, type HostAnswer, type HostProtocol } from "../host-protocol.ts";
import { QWEN } from "./events.ts";

const claude = claudeEncoding(QWEN);

/** Qwen Code: Claude Code's response without what it ignores, which is in its limits. */
export const qwenHost: HostProtocol = hostProtocol({
  format: QWEN,
  fields: NO_FIELDS,
  rewrites: {
    ...claude.rewrites,
    PreToolUse(wish, input, { event, decoded }) {
      if (!isJsonObject(input)) return;
      const again = JSON.stringify(inAgentKeys(AGENT_TOOLS.qwen, decoded, input));
      const why = `hooks changed the arguments of the tool, which Qwen Code cannot do. Call the tool again with: ${again}`;
      wish.refusal = why;
      wish.downgrades.push(`a rewrite at ${event}: ${why}`);
    },
  },
  results: {
    PostToolUse(wish, result) {
      wish.refusal = resultText(result, "(no output)");
    },
  },
  texts: {
    ...claude.texts,
    Stop: (wish, _context, call) => showText(wish, QWEN.label, call),
  },
  finish(wish, call) {
    const { event } = call;
    if (wish.refusal !== undefined && READS_REASON.includes(event)) {
      wish.refusal = withContext(wish.refusal, wish);
      wish.context = undefined;
    }
    if (event === "PostToolUse") return;
    claude.finish(wish, call);
    // With a denial its model reads no other text.
    if (call.row.refusable && wish.refusal !== undefined && wish.context !== undefined) {
      showText(wish, QWEN.label, call);
    }
  },
  deny,
  goOn: (event, wish) => withOutput(claudeAnswer(event, wish)),
});

/** Events at which its model reads text only in the reason of a denial. */
const READS_REASON: readonly string[] = ["PreToolUse", "Stop"];

function deny(event = "", refusal: string, wish: Wish): HostAnswer {
  const { downgrades } = wish;
  const row = getOwn(QWEN.events, event) ?? QWEN.unknown;
  if (!row.refusable) {
    const lost = `a denial at ${event}, which Qwen Code ignores there: ${refusal}`;
    return withOutput(
      claudeAnswer(event, { ...wish, refusal: undefined, downgrades: [...downgrades, lost] }),
    );
  }
  if (event === "PostToolUse") {
    // The model reads the reason instead of the result, and nothing else.
    const stopReason = withContext(refusal, wish);
    const told = "a replaced result reaches the model as the reason of a denial";
    return { output: { continue: false, stopReason }, code: 0, downgrades: [...downgrades, told] };
  }
  const answer = claudeAnswer(event, { ...wish, refusal });
  if (event !== "PreToolUse") return answer;
  // Without it, the approval of another hook would win over the denial.
  return { ...answer, output: { ...answer.output, continue: false, stopReason: refusal } };
}

/** Without output, it may read the log on stderr as the response. */
function withOutput(answer: HostAnswer): HostAnswer {
  return { ...answer, output: answer.output ?? {} };
}
