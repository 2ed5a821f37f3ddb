local places = require "self_guard.places"
local says = require "self_guard.says"

local guarded = places({
  { name = "state", folders = { "/home/me/.local/state/orcs" }, what = "the state" },
  { name = "program", folders = { "/opt/orcs" }, loose = true, what = "the program" },
  { name = "runtime", folders = { "/run/x/orcs" }, exact = true, what = "the service" },
  { name = "config", folders = { "/home/me/.config/orcs" }, asks = true, what = "the configuration" },
  { name = "dev", folders = { "/dev/mine/orcs.toml" }, asks = true, what = "a hook" },
}, { ".claude/settings.json", ".github/hooks/", "/home/me/.codex/config.toml", "/moved/claude/settings.json" })
guarded.home = { "home", "me" }

-- A target, the kind of place that it reaches from a project /w and from /opt (`?` if that is not certain), and how it is changed.
local REACHED = {
  { "/home/me/.local/state/orcs", "state state" },
  { "/home/me/.local/state/orcs/trust.json", "state state" },
  { "/HOME/me/.LOCAL/state/orcs", "state state" },
  { "/home/me/.local/state", "- -" },
  { "/home/me/.local/state", "state state", "gone" },
  { "/home/me", "state state", "gone" },
  { "/", "state state", "gone" },
  { "/home/me/.local/state", "state state", "below" },
  { "/home/me/.local", "- -", "below" },
  { "/home/me/.local/state", "state? state?", "tree" },
  { "/home/me", "- -", "tree" },
  { "/home/me/.local", "state? state?", "tree" },
  { "/home/me/.local/state/orcsx", "- -" },
  { "/home/me/.local/state/*", "state state" },
  { "/home/me/*", "- -" },
  { "/home/me/.*", "- -" },
  { "/home/me/.l*", "state state", "gone" },
  { "/home/me/*", "- -", "gone" },
  { "/home/me/.local/state/orc?", "state state" },
  { "/home/me/.local/state/or[abc]s", "state state" },
  { "/home/me/**/trust.json", "state state" },
  { "/home/me/**/y.json", "- -" },
  { "/home/me/**", "state state" },
  { "/home/me/.local/**/orcs", "state state" },
  { "/home/me/.local/!(x)/orcs", "state state" },
  { "/opt/orcs/x", "program program" },
  { "/opt/orcs", "program program", "gone" },
  { "/opt", "program -", "gone" },
  { "/o*", "program -", "gone" },
  { "/opt", "- -", "tree" },
  { "/run/x/orcs/token", "runtime runtime" },
  { "/run/x", "- -", "gone" },
  { "/run/*/orcs", "- -", "gone" },
  { "/home/me/.config/orcs/a", "config config" },
  { "/home/me/.config", "config config", "gone" },
  { "/home/me/.config", "config? config?", "tree" },
  { "/home/me/.config", "- -", "below" },
  { "/dev/mine/orcs.toml", "dev dev" },
  { "/dev/mine", "dev dev", "gone" },
  { "/dev/mine", "dev dev", "below" },
  { "/dev/mine", "- -", "tree" },
  { "/dev/*/orcs.toml", "dev dev", "gone" },
  { "/dev/*/orcs.toml", "- -" },
  { "/w/.claude/settings.json", "settings settings" },
  { "/w/.claude", "- -" },
  { "/w/.claude", "settings settings", "gone" },
  { "/w/.claude", "settings settings", "below" },
  { "/w", "- -", "below" },
  { "/w/.*", "settings settings", "gone" },
  { "/w/a/.*", "- settings", "gone" },
  { "/w/a/b/.*", "- settings", "gone" },
  { "/w/.github/hooks/x", "settings settings" },
  { "/w/.github", "settings settings", "gone" },
  { "/w/.github", "settings settings", "tree" },
  { "/home/me/.codex/config.toml", "settings settings" },
  { "/home/me/.codex", "settings settings", "gone" },
  { "/w/a", "- -" },
  { "/w/a", "- -", "gone" },
}

-- The same for targets in which `@` is unknown.
local COULD_REACH = {
  { "/home/me/.local/state/orcs", "state" },
  { "/home/me/.local/state/@", "state" },
  { "/home/me/@/state/orcs", "-" },
  { "/home/me/.local/@/orcs", "state" },
  { "/home/me/.local/state/@/trust.json", "state" },
  { "/home/me/.local/state/@", "-", "made" },
  { "/home/me/.local/state/orcs/@", "state", "made" },
  { "/home/me/.local/@", "-" },
  { "/home/me/.local/@", "state", "gone" },
  { "/@/orcs", "-" },
  { "/opt/@", "-" },
  { "/run/x/@", "-" },
  { "/home/me/.config/@", "config" },
  { "/dev/mine/@", "-" },
  { "/w/@/settings.json", "-" },
  { "/w/.claude/@", "settings" },
  { "/@", "-" },
}

-- The end of a target: the kind that it names, that its last name may be enough for, and that is so if it is removed.
local ENDS = {
  { "state/orcs", "state state state" },
  { "@/orcs", "- - state" },
  { "@/orcs/x", "- state state" },
  { "@/y/orcs/z", "- - -" },
  { "a/orcs/y", "- - -" },
  { "@/mine/x", "- - -" },
  { "@/state/x", "- - -" },
  { "orcs.toml", "- config config" },
  { "@/orcs.lock", "- config config" },
  { "@/a/orcs.local.toml", "- config config" },
  { "@/config.toml", "- - -" },
  { ".codex", "- - -" },
  { "", "- - -" },
  { "x/trust.json", "- state state" },
  { "trust.json", "- state state" },
  { "seals", "- state state" },
  { "orcs", "- - state" },
  { "a/orcs", "- - state" },
  { ".config/orcs", "config config config" },
  { ".claude/settings.json", "settings settings settings" },
  { "x/settings.json", "- - -" },
  { ".claude", "- - settings" },
  { ".codex/config.toml", "settings settings settings" },
  { "opt/orcs", "program program program" },
  { "mine/orcs.toml", "dev dev dev" },
  { "st*/orcs", "state state state" },
  { "a", "- - -" },
}

-- A folder and a pattern, and whether a search there could find a place.
local SOUGHT = {
  { "/home/me orcs", "true" },
  { "/home/me .local", "true" },
  { "/home/me trust.json", "true" },
  { "/home/me x", "false" },
  { "/home/me *.json", "true" },
  { "/home/me/.local/state/orcs x", "true" },
  { "/home/me/.local/state/orcs/y x", "true" },
  { "/srv orcs", "false" },
  { "/srv trust.json", "false" },
  { "/HOME/ME ORCS", "false" },
  { "/ codex", "false" },
  { "/ config.toml", "true" },
}

-- A text, and the kind that it names; `above` if only a folder above the place.
local NAMED = {
  { "rm /home/me/.local/state/orcs", "state" },
  { "rm '/home/me/.local/state/orcs/trust.json'", "state" },
  { "rm /home/me/.local/state orcs", "state above" },
  { "x=/home/me/.config/orcs", "config" },
  { "rm trust.json", "state" },
  { "rm trust.js*", "-" },
  { "rm trus*", "-" },
  { "rm seals", "state" },
  { "rm .claude", "settings" },
  { "rm settings.json", "settings" },
  { "rm x/settings*", "-" },
  { "rm hooks", "settings" },
  { "rm orcs", "-" },
  { "rm .codex", "settings" },
  { "rm claude", "-" },
  { "rm moved", "-" },
  { "rm orcs.toml", "-" },
  { "rm /opt/orcs", "program" },
  { "rm a.toml", "-" },
  { "rm state/orcs", "state" },
  { "rm /home/me/.local/*", "state above" },
  { "rm /home/me/.config", "config above" },
  { "a:/home/me/.codex/config.toml", "settings" },
}

-- Literals that code may join, and the kind that they name.
local JOINED = {
  { "~ .claude settings.json", "settings" },
  { ".claude/settings.json", "settings" },
  { ".local/state orcs", "state" },
  { "opt orcs", "-" },
  { ".claude x settings.json", "-" },
  { ".github hooks", "settings" },
  { ".codex config.toml", "settings" },
}

-- A text: whether it may name a place, whether it may be near one, and whether it is far from all as a folder.
local GLANCES = {
  { "rm orcs", "true false false" },
  { "/opt/orc", "false false true" },
  { "/opt/orcsx", "true false true" },
  { "/opt/orcs ", "true true false" },
  { "/home/me/.local/state/orcs/seals/a", "true true false" },
  { "/W/.Claude", "true true true" },
  { "/w/a?", "false true false" },
  { "/w/a./b", "false true false" },
  { "/w/claude", "false false true" },
  { "/moved/claude/settings.json", "true true false" },
  { "/home/me/.local/state/orcs", "true true false" },
  { "/home/me", "false true false" },
  { "/", "false true false" },
  { "/w/a", "false false true" },
  { "/w/.claude", "true true true" },
  { "/w/settings.json", "true true true" },
  { "/w/a*", "false true false" },
  { "/w/a.", "false true false" },
  { "/w/.github/hooks/x", "true true false" },
  { "/home/me/.local/state/x", "true false true" },
  { "/opt", "false true false" },
  { "/w/a b", "false false false" },
  { "/w/a!(b)", "false true false" },
}

-- A pattern, and whether it matches the name of a place or of a file in one.
local NAMES = {
  { "orcs", "true" },
  { "or*", "true" },
  { "seals", "true" },
  { "*.jsonl", "true" },
  { "orcs.toml", "true" },
  { "x", "false" },
  { "*.log", "false" },
  { "state", "false" },
}

-- A folder, and the kind of settings that it holds.
local HOLDS = {
  { "/w/.claude", "settings" },
  { "/w/.github", "settings" },
  { "/w/hooks", "-" },
  { "/w/a", "-" },
  { "/w/.codex", "-" },
}

-- A text with its unknown parts as `@`, and what is behind the last of them.
local MASKED = {
  { "a$x/b", "a@/b | /b" },
  { "$(f)/b", "@/b | /b" },
  { "`f`/b", "@/b | /b" },
  { "${x}b", "@b | b" },
  { "<(f)", "@ | " },
  { "a", "a | a" },
  { "$x$y/c", "@/c | /c" },
  { "$x", "@ | " },
  { "a/$1", "a/@ | " },
}

local function name_of(kind, is_certain)
  return kind and kind.name .. (is_certain == false and "?" or "") or "-"
end

local function expect_each(rows, got_of)
  for _, row in ipairs(rows) do
    local given, how = row[1]:gsub("@", says.UNKNOWN), row[3]
    assert.equal(row[1] .. " → " .. row[2], row[1] .. " → " .. got_of(given, how))
  end
end

describe("self_guard.places", function()
  it("knows what a target reaches", function()
    expect_each(REACHED, function(text, how)
      return name_of(guarded:reached(text, how, "/w")) .. " " .. name_of(guarded:reached(text, how, "/opt"))
    end)
  end)

  it("knows what a target with unknown parts could reach", function()
    expect_each(COULD_REACH, function(text, how) return name_of(guarded:could_reach(text, how)) end)
    expect_each(ENDS, function(text)
      local bare, gone = guarded:ends_in(text, true), guarded:ends_in(text, true, "gone")
      return name_of(guarded:ends_in(text)) .. " " .. name_of(bare) .. " " .. name_of(gone)
    end)
  end)

  it("knows what a search finds", function()
    expect_each(NAMES, function(pattern) return tostring(guarded:is_named(pattern)) end)
    expect_each(SOUGHT, function(row) return tostring(guarded:found_below(row:match("^(%S+) (%S+)$"))) end)
  end)

  it("knows what a text names", function()
    expect_each(NAMED, function(text)
      local kind, above = guarded:named(text, function(word) return word:sub(1, 1) == "/" and word or nil end)
      return name_of(kind) .. (above and " above" or "")
    end)
    expect_each(JOINED, function(text)
      local literals = {}
      for literal in text:gmatch("%S+") do literals[#literals + 1] = literal end
      return name_of(guarded:joined(literals))
    end)
    expect_each(HOLDS, function(text) return name_of(guarded:holds_settings(text)) end)
  end)

  it("glances at texts", function()
    expect_each(GLANCES, function(text)
      return table.concat({ tostring(guarded:glanced(text)), tostring(guarded:is_near(text)), tostring(guarded:is_far(text)) }, " ")
    end)
  end)
end)

describe("self_guard.says", function()
  it("masks what is unknown", function()
    expect_each(MASKED, function(text)
      return says.masked(text):gsub(says.UNKNOWN, "@") .. " | " .. says.known_end(text)
    end)
  end)

  it("shows 160 characters", function()
    local long = ("x"):rep(160)
    assert.equal('"' .. long .. '"', says.shown(long))
    assert.equal('"' .. long:sub(1, 157) .. '..."', says.shown(long .. "x"))
    assert.equal('"a b"', says.shown "a\nb")
    assert.equal('"a b"', says.shown_command { argv = { "a", "b" } })
  end)

  it("asks for the first reason", function()
    local state = {}
    says.ask(state, "one")
    says.ask(state, "two")
    assert.equal("one", state.asks)
  end)
end)
