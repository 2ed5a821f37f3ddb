const js = (code: string): string =>
  `node -e '"use strict"; const fs = require("fs"), F = process.env.FILE; const s = JSON.parse(fs.readFileSync(F)); ${code}; fs.writeFileSync(F, JSON.stringify(s))'`;
const own = (edit: string): string =>
  js(
    `const ours = Object.values(s.hooks).filter(Array.isArray).flatMap((l) => l); for (const g of ours) { const h = (g.hooks || [g])[0]; ${edit} }`,
  );

/**
 * Ways to disarm that no command line shows: what a script, an editor or a server of an agent does, as lines of sh. `FILE`
 * is the settings in which orcs is installed, `CONFIG` its user's own configuration, and `STATE` the state folder.
 */
export const WAYS: Readonly<Record<string, string>> = {
  "node removes the hooks": js("delete s.hooks"),
  "node empties the hooks": js("s.hooks = {}"),
  "node narrows a matcher": own('g.matcher = "Read"'),
  "node adds an if": own('h.if = "Bash(ls)"'),
  "node makes it async": own("h.async = true"),
  "node sets a timeout": own("h.timeout = 0"),
  "node replaces the command": own('h.command = "true"'),
  "node prefixes the command": own('h.command = "true || " + h.command'),
  "node changes the type": own('h.type = "none"'),
  "node switches off all hooks": js("s.disableAllHooks = true"),
  "node switches off by the configuration of hooks": js("s.hooksConfig = { enabled: false }"),
  "node switches off by tools": js("s.tools = { enableHooks: false }"),
  "node disables a hook by its name": js('s.hooks.disabled = ["orcs"]'),
  "node sets a variable": js('s.env = { NODE_OPTIONS: "--require=/tmp/none.js" }'),
  "node makes the hooks a list": js("s.hooks = []"),
  "python rewrites": `python3 -c 'import json,os; f=os.environ["FILE"]; s=json.load(open(f)); s.pop("hooks"); json.dump(s,open(f,"w"))'`,
  "perl edits in place": `perl -pi -e 's/"command"/"commands"/g' "$FILE"`,
  "sed edits in place": `sed -i 's/"command": *"[^"]*/"command": "true/; s/hook --host/hook --hosts/g' "$FILE"`,
  "awk and a rename": `awk '{ gsub(/orcs/, "xorcs"); print }' "$FILE" > "$FILE.new" && mv "$FILE.new" "$FILE"`,
  "a removed file": 'rm "$FILE"',
  "an empty file": ': > "$FILE"',
  "half of the file": 'head -c 40 "$FILE" > half && cat half > "$FILE"',
  "a copy over it": `echo '{}' > other && cp other "$FILE"`,
  "a link in its place": `echo '{}' > other && ln -sf "$PWD/other" "$FILE"`,
  "a pipe in its place": 'rm "$FILE" && mkfifo "$FILE"',
  dd: 'dd if=/dev/zero of="$FILE" bs=10 count=1 conv=notrunc 2> /dev/null',
  "patch by a shell script": `printf 'sed -i s/hooks/hokos/ "$FILE"' > run.sh && sh run.sh`,
  "a script of a package": `echo '{"scripts":{"fmt":"rm \\"$FILE\\""}}' > package.json && npm run --silent fmt`,
  make: `printf 'all:\\n\\t@rm "$(FILE)"\\n' > Makefile && { command -v make > /dev/null && make -s || rm "$FILE"; }`,
  "the own configuration removed": 'rm "$CONFIG"',
  "the own configuration emptied": ': > "$CONFIG"',
  "a hook of the own configuration removed": `node -e 'const fs=require("fs"),F=process.env.CONFIG; fs.writeFileSync(F, fs.readFileSync(F, "utf8").replace(/\\[\\[hooks\\]\\]\\nid[^[]*/, ""))'`,
  "a hook switched off": `sed -i 's/^id = .*/&\\nenabled = false/' "$CONFIG"`,
  "all hooks in shadow": `sed -i '1i mode = "audit"' "$CONFIG"`,
  "self-guard switched off": `sed -i '1i self_guard = false' "$CONFIG"`,
  "a hook that allows before all": `printf '[[hooks]]\\nid="first"\\npoint="tool.pre_execute"\\npriority=-9999\\nhandler_inline="return orcs.allow()"\\n' >> "$CONFIG"`,
  "an own script emptied": ': > "$HOME/.config/orcs/hooks/own.lua"',
  "the trust store emptied": `echo '{"version":2,"projects":{},"user":{}}' > "$STATE/trust.json"`,
  "the trust store removed": 'rm "$STATE/trust.json"',
  "a project trusted for good": `node -e 'const fs=require("fs"),F=process.env.STATE+"/trust.json"; const s=JSON.parse(fs.readFileSync(F)); s.projects["/tmp"]={dev:true,at:"",folders:{}}; fs.writeFileSync(F, JSON.stringify(s))'`,
  "the list of installations removed": 'rm "$STATE/installations.json"',
  "the record of the installation removed": 'rm "$STATE"/installs/*.json',
  "what was accepted removed": 'rm -rf "$STATE/accepted" "$FILE"; true',
  "node changes something else, too": js('delete s.hooks; s.theme = "dark"'),
};
