local path = require "file_guard.path"
local secret_paths = require "file_guard.secret_paths"

local rules = orcs.name_rules({
  "id_rsa", "*.pem", ".aws/credentials", ".ssh/", "/etc/shadow", "id_rsa.*", "*_rsa", ".env.*", "/proc/*/environ",
  "*-credentials.json", "secrets.yml", "ssh_host_*_key", "a/b/c.txt", ".orcs-*/",
})

-- A path, and the rule that it matches.
local MATCHED = {
  { "/w/id_rsa", "id_rsa" },
  { "ID_RSA", "id_rsa" },
  { "id_rsa2", "nil" },
  { "*-creden[t]ials.json", "*-credentials.json" },
  { "secret\xC5\xBF.yml", "secrets.yml" },
  { "ssh_host_x_\xE2\x84\xAAey", "ssh_host_*_key" },
  { "a/x.pem", "*.pem" },
  { ".pem", "*.pem" },
  { "x.pem.txt", "nil" },
  { ".aws/credentials", ".aws/credentials" },
  { "credentials", "nil" },
  { "x/.aws/credentials", ".aws/credentials" },
  { ".aws/x/credentials", "nil" },
  { ".ssh", ".ssh/" },
  { ".ssh/x/y", ".ssh/" },
  { "x/.ssh", ".ssh/" },
  { "/etc/shadow", "/etc/shadow" },
  { "x/etc/shadow", "nil" },
  { "etc/shadow", "/etc/shadow" },
  { "id_rsa.old", "id_rsa.*" },
  { "my_rsa", "*_rsa" },
  { ".env.local", ".env.*" },
  { ".env", "nil" },
  { "/proc/1/environ", "/proc/*/environ" },
  { "/proc/1/2/environ", "nil" },
  { "x-credentials.json", "*-credentials.json" },
  { "ssh_host_rsa_key", "ssh_host_*_key" },
  { "a/b/c.txt", "a/b/c.txt" },
  { "x/a/b/c.txt", "a/b/c.txt" },
  { "b/c.txt", "nil" },
  { "id_*", "id_rsa" },
  { "id_rs?", "id_rsa" },
  { "i*", "nil" },
  { "*", "nil" },
  { "**", "nil" },
  { "*.pe?", "*.pem" },
  { "*.p*", "*.pem" },
  { "*.json", "nil" },
  { "*-cred*.json", "nil" },
  { ".s*/x", ".ssh/" },
  { ".[as]*/x", ".ssh/" },
  { "?ssh/x", "nil" },
  { ".ss[h]/x", ".ssh/" },
  { "[.]ssh/x", "nil" },
  { ".aws/*", ".aws/credentials" },
  { ".aws/cred*", ".aws/credentials" },
  { ".*/credentials", ".ssh/" },
  { "**/id_rsa", "id_rsa" },
  { "**/secrets.y*", "secrets.yml" },
  { ".!(x)/id", ".ssh/" },
  { "/etc/sh*", "/etc/shadow" },
  { "x/etc/sh*", "nil" },
  { "s[]e]crets.yml", "secrets.yml" },
  { "s[e", "nil" },
  { ".env.", "nil" },
  { ".env.local.", ".env.*" },
  { "id_rsa.", "id_rsa" },
  { "id_rsa...", "id_rsa" },
  { '"id_rsa "', "nil" },
  { "id_r​sa", "id_rsa" },
  { "id_rſa", "id_rsa" },
  { "x", "nil" },
  { ".orcs-undo/x", ".orcs-*/" },
  { "a/.orcs-1", ".orcs-*/" },
  { ".orcs-?/x", ".orcs-*/" },
  { "[]e]x/.ssh", ".ssh/" },
  { ".ss[!]a]", ".ssh/" },
  { "id_rsa(", "nil" },
  { "id_!(x", "nil" },
  { "id_r*" .. ("a"):rep(5000), "nil" },
  { "id_rsa\xFF", "nil" },
}

-- A folder: the rule for a folder below it, the rule for anything below it, and whether its place matters.
local BELOW = {
  { ".ssh", "nil nil true" },
  { ".aws", "nil .aws/credentials true" },
  { "x/.aws", "nil .aws/credentials true" },
  { "/etc", "nil /etc/shadow true" },
  { "a", "nil a/b/c.txt true" },
  { "a/b", "nil a/b/c.txt true" },
  { "x/a/b", "nil a/b/c.txt true" },
  { "/proc", "nil /proc/*/environ true" },
  { ".aws/credentials", "nil nil true" },
  { "w/.ssh/x", "nil nil true" },
}

-- A path: normalized, resolved in /w, resolved nowhere, and before its first glob.
local PATHS = {
  { "a", "a /w/a a a" },
  { "./a", "a /w/a a ./a" },
  { "../a", "../a /a ../a ../a" },
  { "../../a/./b/../c/", "../../a/c /a/c ../../a/c ../../a/./b/../c/" },
  { "/a/../../b", "/b /b /b /a/../../b" },
  { "//a//b", "/a/b /a/b /a/b //a//b" },
  { "/", "/ / / /" },
  { ".", " /w  ." },
  { "a/..", " /w  a/.." },
  { "/..", "/ / / /.." },
  { "a*/b", "a*/b /w/a*/b a*/b ." },
  { "x/y*/b", "x/y*/b /w/x/y*/b x/y*/b x/" },
  { "/x?", "/x? /x? /x? /" },
  { "x[1]/a", "x[1]/a /w/x[1]/a x[1]/a ." },
}

-- An argument of a tool, and the path that it stands for; HOME is the home directory.
local GIVEN = {
  { "~", "HOME" },
  { "~/a", "HOME/a" },
  { "$HOME/a", "HOME/a" },
  { "${HOME}", "HOME" },
  { "${HOME}/a", "HOME/a" },
  { "~x/a", "~x/a" },
  { "$HOMEX/a", "$HOMEX/a" },
  { "file:///a%20b", "/a b" },
  { "file://h/a", "/a" },
  { "FILE:/a", "/a" },
  { "file:a", "file:a" },
  { " a ", "a" },
  { "file://h", "/" },
}

-- A folder and a path, and the path in the folder.
local INSIDE = {
  { "/a /a", "" },
  { "/a /a/b", "b" },
  { "/a /ab", "nil" },
  { "/ /a", "a" },
  { "/ /", "" },
  { "/a/b /a", "nil" },
}

local function expect_each(rows, got_of)
  for _, row in ipairs(rows) do assert.equal(row[1] .. " → " .. row[2], row[1] .. " → " .. got_of(row[1])) end
end

describe("orcs.name_rules", function()
  it("matches paths and globs", function()
    expect_each(MATCHED, function(text)
      return tostring(rules:match(text))
    end)
  end)

  it("knows what is below a folder", function()
    expect_each(BELOW, function(text)
      return table.concat({ tostring(rules:below(text)), tostring(rules:below(text, true)), tostring(rules:matters(text)) }, " ")
    end)
  end)
end)

describe("file_guard.path", function()
  it("works on text", function()
    expect_each(PATHS, function(text)
      return table.concat({ path.normal(text), path.resolve(text, "/w"), path.resolve(text), path.plain_lead(text) }, " ")
    end)
    expect_each(INSIDE, function(text) return tostring(path.inside(text:match("^(%S+) (%S+)$"))) end)
  end)

  it("expands arguments", function()
    expect_each(GIVEN, function(text)
      local given = path.given(text)
      return given:sub(1, #path.home) == path.home and "HOME" .. given:sub(#path.home + 1) or given
    end)
  end)
end)

describe("file_guard.secret_paths", function()
  it("shortens what it shows", function()
    local long = ("x"):rep(120)
    assert.equal(long, secret_paths.shortened(long))
    assert.equal(long:sub(1, 117) .. "...", secret_paths.shortened(long .. "x"))
    assert.equal("a b", secret_paths.shortened "a\nb")
    assert.equal('"cat .env"', secret_paths.command_text { argv = { "cat", ".env" } })
  end)

  it("tells how to load a file that is only sourced", function()
    local instead = "Give it to the program alone that needs it"
    assert.matches(instead, secret_paths.refusal('"source .env"', ".env"))
    assert.matches(instead, secret_paths.refusal('". .env"', ".env"))
    for _, what in ipairs({ '"cat .env"', '"sources .env"', '".x .env"', '"cat source x"' }) do
      assert.matches("Work with an example of it", secret_paths.refusal(what, ".env"))
    end
  end)

  it("knows folders with many secrets", function()
    assert.is_true(secret_paths.is_above_home(path.home))
    assert.is_true(secret_paths.is_above_home "/")
    assert.is_true(secret_paths.is_above_home(path.home .. "/.config"))
    assert.is_false(secret_paths.is_above_home(path.home .. "/notes"))
    assert.is_false(secret_paths.is_above_home(path.home .. "/.config/x"))
  end)

  it("knows names by their folder", function()
    local paths = secret_paths.new({}, "/w")
    assert.is_nil(paths:named("config", "/w"))
    assert.equal(".kube/", paths:named("config", "/w/.kube"))
    assert.equal(".kube/", paths:named("config", "/w/.kube"))
    assert.is_nil(paths:named("config", "/w"))
    assert.equal(".ssh/", paths:named(".", "/w/.ssh"))
    assert.equal(".ssh/", paths:named("..", "/w/.ssh/x"))
    assert.equal(".env", paths:named(".env", nil))
    assert.equal("x/.env", paths:mentioned("see x/.env, please", "/w"))
    assert.is_nil(paths:mentioned("see .env.example", "/w"))
  end)
end)
