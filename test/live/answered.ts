import { execFileSync } from "node:child_process";
import { createHmac, randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { endServices, installed, judged, MAIN, person, play, put } from "./machine.ts";
import { PROGRAMS } from "./programs.ts";

const KEY = randomBytes(32).toString("hex");
/** How long the person takes, in milliseconds. */
const THINKS_MS = 1500;

interface Question {
  readonly id: string;
  readonly nonce: string;
  readonly digest: string;
  readonly about: string;
}

/** A person at a phone: allows what says "fine", after a while. */
function phone() {
  const asked = new Map<string, Question & { readonly at: number }>();
  /** Milliseconds between the answer and its being fetched. */
  const waits: number[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    let body = "";
    for await (const chunk of request) body += String(chunk);
    if (request.method === "POST") {
      const question = JSON.parse(body) as Question;
      asked.set(question.id, { ...question, at: Date.now() });
      return void response.end("{}");
    }
    const question = asked.get(request.url?.split("/").at(-1) ?? "");
    const since = question ? Date.now() - question.at : 0;
    if (!question || since < THINKS_MS) return void response.writeHead(204).end();
    waits.push(since - THINKS_MS);
    const says = question.about.includes("fine") ? "allow" : "deny";
    const { id, nonce, digest } = question;
    const signature = createHmac("sha256", KEY)
      .update(JSON.stringify([id, nonce, digest, says, "call", "phone"]))
      .digest("hex");
    response.end(JSON.stringify({ answer: says, scope: "call", by: "phone", signature }));
  };
  const server = createServer((request, response) => void answer(request, response));
  return { server, asked, waits };
}

/** A session without a person, whose questions somebody answers elsewhere. @returns what must hold, and whether it does */
export async function answeredElsewhere(name: string, folder: string) {
  const program = PROGRAMS[name];
  if (!program) throw new Error(`nothing is known of ${name}`);
  const { root, home, project, env } = person(`answered-${name}`, program.home);
  const { server, asked, waits } = phone();
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  put(join(home, ".config/orcs/answer.key"), KEY);
  put(
    join(home, ".config/orcs/orcs.toml"),
    `[hil]
answer = ["agent", "url"]
answer_url = "http://127.0.0.1:${port}/q"
answer_key_file = "answer.key"
[[hooks]]
id = "asks"
point = "tool.pre_execute"
match = { tool = "exec", command = "asked" }
handler_inline = 'return orcs.ask("is anybody there?")'
`,
  );
  const install = [MAIN, "install", "--host", name, "--user", "--yes"];
  execFileSync(process.execPath, install, { cwd: project, env, stdio: "ignore" });
  const commands = ["true", "touch asked-fine", "touch asked-not"];
  const { bin } = installed(program, folder);
  const { code, output, requests } = await play(program, commands, { bin, cwd: project, env });
  server.close();
  endServices(home);
  const findings = {
    [`the session ended by itself (exit ${code})`]: code === 0,
    [`somebody was asked, ${asked.size} times`]: asked.size === 2,
    "what was allowed elsewhere ran": existsSync(join(project, "asked-fine")),
    "what was denied elsewhere did not run": !existsSync(join(project, "asked-not")),
    "the model was told who said no": requests.at(-1)?.includes("webhook: phone") === true,
    [`the answer was fetched ${Math.max(...waits)} ms after it was there, at most`]:
      Math.max(...waits) <= 2000,
  };
  put(join(root, "output.txt"), `${output}\n${requests.at(-1)}`);
  return judged(root, findings);
}
