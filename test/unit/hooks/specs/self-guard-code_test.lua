local code = require "self_guard.code"

-- Code. CHANGES: it may change files; ARGS: it runs its arguments.
local CODE = {
  { 'cmd = "rm -rf a"; print(cmd)', "" },
  { 're.system("x")', "" },
  { "run()", "" },
  { 'print("rm -rf a")', "" },
  { '# os.system("rm a")', "" },
  { 'print "rm -rf a"', "" },
  { "puts rm", " CHANGES" },
  { '(message "rm a")', "" },
  { "select 'shell'", "" },
  { "s/x/y/e", "" },
  { "system(sys.argv[1])", " ARGS" },
  { "eval(sys.argv[1])", " ARGS" },
  { "print(sys.argv[1])", "" },
  { "system(shift)", " ARGS" },
  { "print shift", "" },
  { "shift; system(x)", " ARGS" },
  { 'open("a", "w")', " CHANGES" },
  { 'open("a")', " CHANGES" },
  { 'open("a", "r")', " CHANGES" },
  { 'open("a", mode="rb+")', " CHANGES" },
  { 'open("a", "x")', " CHANGES" },
  { 'f.open("wt")', " CHANGES" },
  { [[open(file="a", mode='a')]], " CHANGES" },
  { 'open F, ">a"', " CHANGES" },
  { "open(F, '>', 'a')", " CHANGES" },
  { 'open F, "w"', " CHANGES" },
  { '{"mode": "w"}', " CHANGES" },
  { "flags: 'r+'", " CHANGES" },
  { "fs.openSync('a', 'w')", " CHANGES" },
  { "sys.stdout.write(x)", "" },
  { "sys.stderr.write(x)", "" },
  { "f.write(x)", " CHANGES" },
  { "x.append(y)", "" },
  { "x.copy()", "" },
  { "shutil.copy(a, b)", " CHANGES" },
  { 'x.replace("a", "b")', "" },
  { "os.replace(a, b)", " CHANGES" },
  { 'Path("a").replace(b)', " CHANGES" },
  { "pathlib.replace(b)", " CHANGES" },
  { 're.sub("a", "b", c)', "" },
  { "output = input + compute", "" },
  { "json.dump(x)", " CHANGES" },
  { "x.dumps()", "" },
  { 'document.createElement("p")', "" },
  { 'fs.rmSync("a")', " CHANGES" },
  { "fs.linkSync(a, b)", " CHANGES" },
  { "os.link(a, b)", " CHANGES" },
  { "os.chmod(a, 1)", " CHANGES" },
  { "os.utime(a)", " CHANGES" },
  { "File.rename(a, b)", " CHANGES" },
  { "FileUtils.x", " CHANGES" },
  { "-i.bak", " CHANGES" },
  { "print F->x", " CHANGES" },
  { "print {F} x", "" },
  { "'built-in'", "" },
  { '{ print > "a" }', " CHANGES" },
  { '{ print >> "a" }', " CHANGES" },
  { "{ print > $1 }", " CHANGES" },
  { "# f.write(x)", "" },
  { "x.touch()", " CHANGES" },
  { "x.putter", " CHANGES" },
  { "x.delete()", " CHANGES" },
  { "x.save()", " CHANGES" },
  { "os.open(a)", " CHANGES" },
  { "mv(a)", " CHANGES" },
  { "rm(a)", " CHANGES" },
  { "cp(a)", " CHANGES" },
}

-- A command line, the code in it with its other arguments, and these.
local LINES = {
  { "python -c 'f()' x y", "-c f() x y (x,y)" },
  { "python3.12 -c 'f()'", "-c f() ()" },
  { "python a.py x", "" },
  { "python", "" },
  { "python - x <<E\nf()\nE", "- x f()  ()" },
  { "echo 'f()' | python", "f()  ()" },
  { "cat a | python", "" },
  { "python -c 'f()' <<< 'g()'", "-c f() ()" },
  { "awk '{f()}' a", "{f()} a (a)" },
  { "gawk -f a b", "" },
  { "uv run -c 'f()'", "run -c f() ()" },
  { "pipx run python -c 'f()'", "run python -c f() ()" },
  { "PYTHON.exe -c 'f()'", "-c f() ()" },
  { "ls 'f()'", "" },
  { "ruby -e f", "" },
  { "lua5.4 -e 'f{}'", "-e f{} ()" },
  { "python -c a!", "-c a! ()" },
}

describe("code", function()
  it("may change files, and run its arguments", function()
    for _, row in ipairs(CODE) do
      local got = (code.changes(row[1]) and " CHANGES" or "") .. (code.runs_arguments(row[1]) and " ARGS" or "")
      assert.equal(row[1] .. " → " .. row[2], row[1] .. " → " .. got)
    end
  end)

  it("is in arguments and in the input", function()
    for _, row in ipairs(LINES) do
      local found = {}
      for _, command in ipairs(orcs.shell(row[1], "/w")) do
        local text, given = code.of_command(command)
        if text then found[#found + 1] = ("%s (%s)"):format((text:gsub("\n", " ")), table.concat(given, ",")) end
      end
      assert.equal(row[1] .. " → " .. row[2], row[1] .. " → " .. table.concat(found, " | "))
    end
  end)
end)
