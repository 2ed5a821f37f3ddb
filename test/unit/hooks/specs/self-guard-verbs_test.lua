local verbs = require "self_guard.verbs"

local loosening = verbs({
  verbs = { trust = { unless = { "--show" } }, uninstall = true, install = { flags = { "--config" } } },
  routes = { "/loosen/" },
  is_program = function(path) return path == "/opt/orcs" or path:sub(1, 10) == "/opt/orcs/" end,
})

-- A command line, and how each command of it weakens the protection.
local LINES = {
  { "orcs trust", "verb" },
  { "orcs trust --show", "nil" },
  { "orcs trust -- --show", "verb" },
  { "orcs trust --show=x", "nil" },
  { "orcs trust --help", "nil" },
  { "orcs trust -h", "nil" },
  { "orcs list", "nil" },
  { "orcs uninstall", "verb" },
  { "orcs --x uninstall", "verb" },
  { "orcs --x y uninstall", "verb" },
  { "orcs --x=y z uninstall", "nil" },
  { "orcs install", "nil" },
  { "orcs install --config a", "verb" },
  { "orcs install --config=a", "verb" },
  { "orcs install --configs a", "nil" },
  { 'orcs "$x"', "ask" },
  { 'orcs install "$x"', "ask" },
  { 'orcs trust "$x"', "verb" },
  { "npx orcs trust", "verb, verb" },
  { "npx orcs@1.2.3 trust", "verb, verb" },
  { "npx npm:orcs trust", "verb, verb" },
  { "npx @x/orcs trust", "nil, nil" },
  { "npm exec orcs trust", "verb, verb" },
  { "npm /opt/orcs/x trust", "nil" },
  { "pnpm /opt/orcs/x trust", "nil" },
  { "yarn /opt/orcs/x trust", "nil" },
  { "tsx /opt/orcs/x trust", "verb" },
  { '"$X"', "nil" },
  { '"$ORCS"', "nil" },
  { "cd \"$X\"; node dist/cli/main.js trust", "nil, nil" },
  { "cd \"$X\"; node orcs/dist/cli/main trust", "nil, verb" },
  { "node /opt/orcs/dist/cli/main.js trust", "verb" },
  { "node x/orcs/dist/cli/main.js trust", "verb" },
  { "node dist/main.js trust", "nil" },
  { "python3 /opt/orcs/bin/orcs trust", "nil" },
  { "/opt/orcs/bin/orcs trust", "verb" },
  { "/opt/orcs/dist/cli/main.js trust", "verb" },
  { "/opt/orcs/README trust", "nil" },
  { "bun /opt/orcs/x trust", "verb" },
  { '"$ORCS" trust', "verb" },
  { '"$ORCS" list', "nil" },
  { '"$X" trust', "nil" },
  { "npm rm -g orcs", "program" },
  { "npm rm orcs", "program" },
  { "npm i -g orcs", "replaced" },
  { "npm i orcs", "nil" },
  { "npm i -g orcs@1", "replaced" },
  { "npm i -g x", "nil" },
  { "npm i -g ./orcs-1.2.tgz", "replaced" },
  { "npm i -g u/orcs.git", "replaced" },
  { "npm i -g u/orcs#main", "replaced" },
  { "npm link orcs", "replaced" },
  { "npm link", "nil" },
  { "npm link x y", "nil" },
  { "pnpm add --global orcs", "replaced" },
  { "yarn global add orcs", "replaced" },
  { "volta install orcs", "replaced" },
  { "brew uninstall orcs", "program" },
  { "pip uninstall orcs", "nil" },
  { "claude uninstall orcs", "program" },
  { "npm unlink orcs", "program" },
  { "pkill orcs", "service" },
  { "pkill -f 'orcs serve'", "service" },
  { "pkill -f orcs/dist/cli/main", "service" },
  { "pkill norcs", "nil" },
  { "killall orcs", "service" },
  { "kill 1", "nil" },
  { "kill $(pgrep orcs)", "nil, service" },
  { "kill $(pidof orcs)", "nil, service" },
  { "kill $(pgrep x)", "nil, nil" },
  { "kill $(cat /run/orcs/a.pid)", "nil, service" },
  { "pkill -f 'serve --user'", "service" },
  { "systemctl stop orcs", "service" },
  { "systemctl --user stop orcs.service", "service" },
  { "systemctl stop x/orcs", "service" },
  { "systemctl status orcs", "nil" },
  { "systemctl stop x", "nil" },
  { "systemctl stop a.orcs.b", "service" },
  { "launchctl bootout orcs", "service" },
  { "launchctl unload x", "nil" },
  { "service orcs stop", "service" },
  { "curl http://h/loosen/x", "route" },
  { "curl http://h/x/loosen/", "nil" },
  { "curl localhost:80/loosen/", "route" },
  { "curl http://h/loosen", "nil" },
  { "curl http://h/a?b=/loosen/", "nil" },
  { "tmux send-keys 'orcs trust' Enter", "verb, verb" },
  { "tmux send-keys orcs Space trust", "verb, nil" },
  { "tmux send-keys 'orcs list'", "nil, nil" },
  { "echo orcs trust", "nil" },
  { "git -c alias.x='!orcs trust' x", "verb, verb" },
  { "git -c alias.x=orcs x", "nil, nil" },
  { "git commit -m 'orcs trust'", "nil" },
  { "git --config a='!orcs uninstall' x", "verb" },
  { "crontab x", "nil" },
  { "npm run orcs trust", "verb" },
}

-- A text, and whether it contains a command of orcs that weakens the protection.
local TEXTS = {
  { "orcs trust", "true" },
  { "x; orcs trust --show", "false" },
  { "./orcs trust", "true" },
  { "run:orcs uninstall", "true" },
  { "x=orcs uninstall", "true" },
  { "ORCS trust", "true" },
  { "orc trust", "false" },
  { "orcs a b c d e f g h i j k l uninstall", "false" },
  { "trust orcs", "false" },
}

-- A word, and whether it names orcs.
local NAMES = {
  { "orcs", "true" },
  { "ORCS", "true" },
  { "orcs@1", "true" },
  { "orcs@^1.2", "true" },
  { "npm:orcs", "true" },
  { "@x/orcs", "false" },
  { "@x/y/orcs", "true" },
  { "x/orcs", "true" },
  { [[x\orcs]], "true" },
  { "x#orcs", "true" },
  { "orcs.cmd", "true" },
  { "orcs.1", "false" },
  { "x/orcs.js", "true" },
  { "norcs", "false" },
  { "orcs/dist/cli/main.js", "true" },
  { "orcs/dist/cli/main", "true" },
  { [[orcs\dist\cli\main.cjs]], "true" },
  { "orcsx", "false" },
}

-- A literal in code, and whether it is an internal module of orcs.
local MODULES = {
  { "orcs/dist/index.js", "false" },
  { "orcs/dist/x.js", "true" },
  { "/opt/orcs/x.js", "true" },
  { "/opt/orcs/x.lua", "false" },
  { "file:///opt/orcs/dist/x.js", "true" },
  { "/opt/orcs/dist/adapters/x.js", "false" },
  { "/opt/orcs/package.json", "false" },
  { "a b/orcs/dist/x.js", "false" },
  { "/w/x.js", "false" },
  { "orcs/bin/orcs.cjs", "true" },
}

local function expect_each(rows, got_of)
  for _, row in ipairs(rows) do assert.equal(row[1] .. " → " .. row[2], row[1] .. " → " .. tostring(got_of(row[1]))) end
end

describe("self_guard.verbs", function()
  it("finds commands that weaken the protection", function()
    expect_each(LINES, function(line)
      local found = {}
      for _, command in ipairs(orcs.shell(line, "/w")) do
        local found_as = loosening.of_command(command, line, command.cwd, {})
        found[#found + 1] = tostring(found_as)
      end
      return table.concat(found, ", ")
    end)
  end)

  it("finds them in texts that are run later", function()
    expect_each(TEXTS, loosening.in_words)
    local crontab = orcs.shell("crontab - <<< '@daily orcs trust'", "/w")[1]
    assert.equal("verb", loosening.of_command(crontab, "", "/w", {}))
  end)

  it("recognizes orcs by its name", function() expect_each(NAMES, loosening.is_name) end)

  it("recognizes links that the line has made", function()
    local command = orcs.shell("./x trust", "/w")[1]
    assert.equal("verb", loosening.of_command(command, "./x trust", "/w", { "/w/x" }))
    assert.is_nil(loosening.of_command(command, "./x trust", "/w", { "/w/y" }))
  end)

  it("recognizes modules of orcs", function()
    expect_each(MODULES, function(word) return loosening.is_module(word, "/w") end)
  end)
end)
