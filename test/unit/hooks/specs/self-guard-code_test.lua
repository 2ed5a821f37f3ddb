local code = require "self_guard.code"
local git = require "self_guard.git"

-- Code, what it runs, and its language. CHANGES: it may change files; ARGS: it runs its arguments.
local CODE = {
  { 'os.system("rm -rf a")', "rm -rf a", "python" },
  { 'subprocess.run(["rm", "-rf", "a"])', "[rm,-rf,a]", "python" },
  { 'subprocess.run(args=["rm", "a"], check=True)', "[rm,a]", "python" },
  { 'os.execvp("rm", ["rm", "-rf", "a"])', "[rm,-rf,a]", "python" },
  { 'cmd = "rm -rf a"; os.system(cmd)', "rm -rf a", "python" },
  { 'cmd = "rm -rf a"; print(cmd)', "", "python" },
  { 're.system("x")', "", "python" },
  { "run()", "", "python" },
  { 'run("rm", "a b")', "a b | [rm,a b]", "python" },
  { 'print("rm -rf a")', "", "python" },
  { '# os.system("rm a")', "", "python" },
  { "!rm -rf a", "rm -rf a", "python" },
  { "%sx rm a", "rm a", "python" },
  { "x\n  !ls", "ls", "python" },
  { 'execSync("rm a")', "rm a", "node" },
  { "execSync(`rm a`)", "rm a", "node" },
  { "$`rm -rf a`", "rm -rf a", "node" },
  { 'const c = "rm -rf a"; exec(c)', "rm -rf a", "node" },
  { 'child_process.spawn("rm", ["a"])', "[rm,a]", "node" },
  { "qx{rm a}", "rm a", "perl" },
  { "qx(rm a) . `ls b`", "ls b | rm a", "perl" },
  { "qx/rm a/; qx|rm b|; qx[rm c]", "rm c | rm a | rm b", "perl" },
  { "exec qw(rm -rf a)", "rm -rf a", "perl" },
  { 'system "rm", "-rf", "a"', "[rm,-rf,a]", "perl" },
  { 'system "rm -rf a"', "rm -rf a", "perl" },
  { 'print "rm -rf a"', "", "perl" },
  { "%x(rm a); %x[rm b]", "rm a | rm b", "ruby" },
  { "system(*%w[rm -rf a])", "rm -rf a", "ruby" },
  { "`rm a`", "rm a", "ruby" },
  { "exec 'rm a'", "rm a", "ruby" },
  { "exec rm -rf a", "rm -rf a", "tclsh" },
  { "spawn rm -rf a", "rm -rf a", "expect" },
  { "exec rm a", "rm a", "expect" },
  { "puts rm", " CHANGES", "expect" },
  { 'do shell script "rm a"', "rm a", "osascript" },
  { 'BEGIN { system("rm a") }', "rm a ARGS", "awk" },
  { '{ print | "rm a" }', "rm a", "awk" },
  { '"rm a" | getline', "rm a", "awk" },
  { '"rm a" |& getline', "rm a", "awk" },
  { ":!rm a", "rm a", "vim" },
  { ":silent !rm a | q", "rm a ", "vim" },
  { ":!rm a", "rm a", "nvim" },
  { '(shell-command "rm a")', "rm a", "emacs" },
  { '(call-process "rm" nil nil nil "a")', "[rm,a]", "emacs" },
  { '(message "rm a")', "", "emacs" },
  { "shell rm a", "rm a", "gdb" },
  { "!rm a", "rm a", "gdb" },
  { ".shell rm a", "rm a", "sqlite" },
  { ".system rm a", "rm a", "sqlite" },
  { "select 'shell'", "", "sqlite" },
  { "1e rm a", "rm a", "sed" },
  { "s/x/y/e", "", "sed" },
  { "$e rm a", "rm a", "sed" },
  { "/x/e rm a", "rm a", "sed" },
  { 'os.execute("rm a")', "rm a", "lua" },
  { [[shell_exec("rm a"); passthru('ls b')]], "rm a | ls b", "php" },
  { "$c = 'rm a'; exec($c);", "rm a", "php" },
  { 'os.system("rm a")', "rm a" },
  { 'do shell script "rm a"', "rm a" },
  { 'Popen(["rm", "a"]', "[rm,a]" },
  { "system(sys.argv[1])", " ARGS", "python" },
  { "eval(sys.argv[1])", " ARGS", "python" },
  { "print(sys.argv[1])", "", "python" },
  { "system(shift)", " ARGS", "perl" },
  { "print shift", "", "perl" },
  { "shift; system(x)", "", "python" },
  { 'open("a", "w")', " CHANGES", "python" },
  { 'open("a")', " CHANGES", "python" },
  { 'open("a", "r")', " CHANGES", "python" },
  { 'open("a", mode="rb+")', " CHANGES", "python" },
  { 'open("a", "x")', " CHANGES", "python" },
  { 'f.open("wt")', " CHANGES", "python" },
  { [[open(file="a", mode='a')]], " CHANGES", "python" },
  { 'open F, ">a"', " CHANGES", "perl" },
  { "open(F, '>', 'a')", " CHANGES", "perl" },
  { 'open F, "w"', " CHANGES", "perl" },
  { '{"mode": "w"}', " CHANGES", "python" },
  { "flags: 'r+'", " CHANGES", "python" },
  { "fs.openSync('a', 'w')", " CHANGES", "node" },
  { "sys.stdout.write(x)", "", "python" },
  { "sys.stderr.write(x)", "", "python" },
  { "f.write(x)", " CHANGES", "python" },
  { "x.append(y)", "", "python" },
  { "x.copy()", "", "python" },
  { "shutil.copy(a, b)", " CHANGES", "python" },
  { 'x.replace("a", "b")', "", "python" },
  { "os.replace(a, b)", " CHANGES", "python" },
  { 'Path("a").replace(b)', " CHANGES", "python" },
  { "pathlib.replace(b)", " CHANGES", "python" },
  { 're.sub("a", "b", c)', "", "python" },
  { "output = input + compute", "", "python" },
  { "json.dump(x)", " CHANGES", "python" },
  { "x.dumps()", "", "python" },
  { 'document.createElement("p")', "", "node" },
  { 'fs.rmSync("a")', " CHANGES", "node" },
  { "fs.linkSync(a, b)", " CHANGES", "node" },
  { "os.link(a, b)", " CHANGES", "python" },
  { "os.chmod(a, 1)", " CHANGES", "python" },
  { "os.utime(a)", " CHANGES", "python" },
  { "File.rename(a, b)", " CHANGES", "ruby" },
  { "FileUtils.x", " CHANGES", "ruby" },
  { "-i.bak", " CHANGES", "perl" },
  { "print F->x", " CHANGES", "perl" },
  { "print {F} x", "", "perl" },
  { "'built-in'", "", "python" },
  { '{ print > "a" }', " CHANGES", "awk" },
  { '{ print >> "a" }', " CHANGES", "awk" },
  { "{ print > $1 }", " CHANGES", "awk" },
  { "# f.write(x)", "", "python" },
  { "x.touch()", " CHANGES", "python" },
  { "x.putter", " CHANGES", "python" },
  { "x.delete()", " CHANGES", "python" },
  { "x.save()", " CHANGES", "python" },
  { "os.open(a)", " CHANGES", "python" },
  { "mv(a)", " CHANGES", "python" },
  { "rm(a)", " CHANGES", "python" },
  { "cp(a)", " CHANGES", "python" },
}

-- A command line, and the code in it: its language, the code and further arguments.
local LINES = {
  { "python -c 'f()' x y", "python: f() (x,y)" },
  { "python3.12 -c 'f()'", "python: f()" },
  { "python a.py x", "" },
  { "python", "" },
  { "python - x <<E\nf()\nE", "python: f() (x)" },
  { "python <<E\nf()\nE", "python: f()" },
  { "echo 'f()' | python", "python: f()" },
  { "echo 'f()' > a.py; python a.py", "python: f()" },
  { "echo 'f()' > a.py; python b.py", "" },
  { "cat a | python", "" },
  { "python -W x a.py", "" },
  { "python -m x 'f()'", "python: f()" },
  { "awk '{f()}' a", "awk: {f()} (a)" },
  { "awk -v x=y '{f()}' a", "awk: {f()} (y,a)" },
  { "awk '{f()}' x=y a", "awk: {f()} (y,a)" },
  { "gawk -f a b", "" },
  { "sed 's/x/f()/' a", "sed: s/x/f()/ (a)" },
  { "sed p a", "" },
  { "vim -c ':q!' a", "vim: :q! (a)" },
  { "uv run -c 'f()'", "python: f()" },
  { "uv pip 'f()'", "" },
  { "deno run 'f()'", "deno: f()" },
  { "deno eval 'f()'", "deno: f()" },
  { "bun run a.ts", "" },
  { "pipx run python -c 'f()'", "python: f()" },
  { "poetry run python -c 'f()'", "python: f()" },
  { "node -e 'f()' x", "node: f() (x)" },
  { "node -r x -e 'f()'", "node: f()" },
  { "perl -e 'f()' 'g()'", "perl: f() (g())" },
  { "perl -e 'f()' -e 'g()'", "perl: f() (-e) | perl: g() (-e)" },
  { "perl a.pl 'f()'", "perl: f()" },
  { "sqlite3 a.db '.shell f' 'g;'", "sqlite: .shell f | sqlite: g;" },
  { "sqlite3 a.db", "" },
  { "sqlite3 a.db <<E\n.shell f\nE", "" },
  { "PYTHON.exe -c 'f()'", "python: f()" },
  { "ls 'f()'", "" },
  { [[ruby3.2 -e "f'x'"]], "ruby: f'x'" },
  { "ruby -e f", "" },
  { "php -r '`f`;'", "php: `f`;" },
  { "node /dev/stdin <<< 'f()'", "node: f()" },
  { "tee a.js <<< 'f()' && node a.js", "node: f()" },
  { "lua5.4 -e 'f{}'", "lua: f{}" },
  { "python -c 'a b'", "python: a b" },
  { "python -c a!", "python: a!" },
}

-- A git command, and what it changes in which folder.
local GIT = {
  { "git status", "" },
  { "git checkout .", ". in /w" },
  { "git checkout a", ". in /w, a in /w gone" },
  { "git checkout -b a", ". in /w" },
  { "git checkout -b a b", ". in /w, b in /w gone" },
  { "git clean", ". in /w, . in /w gone" },
  { "git clean -n", "" },
  { "git clean -fd", ". in /w, . in /w gone" },
  { "git clean -fd a", ". in /w, a in /w gone" },
  { "git clean --dry-run a", "" },
  { "git merge a", ". in /w" },
  { "git pull", ". in /w" },
  { "git rebase a", ". in /w" },
  { "git reset", "" },
  { "git reset a", "" },
  { "git reset --hard", ". in /w" },
  { "git reset --keep a", ". in /w" },
  { "git reset --merge", ". in /w" },
  { "git restore a", ". in /w, a in /w gone" },
  { "git restore --staged a", "" },
  { "git restore --staged --worktree a", ". in /w, a in /w gone" },
  { "git restore -S -W a", ". in /w, a in /w gone" },
  { "git restore -s x a", ". in /w, a in /w gone" },
  { "git stash", ". in /w" },
  { "git stash list", "" },
  { "git stash show a", "" },
  { "git stash push a", ". in /w, a in /w gone" },
  { "git stash push -m x a", ". in /w, a in /w gone" },
  { "git stash save a", ". in /w" },
  { "git stash drop", "" },
  { "git stash clear", "" },
  { "git switch a", ". in /w" },
  { "git apply a", ". in /w" },
  { "git am a", ". in /w" },
  { "git rm a b", ". in /w, a in /w gone, b in /w gone" },
  { "git rm --cached a", "" },
  { "git rm -h", "" },
  { "git mv a b", ". in /w, a in /w gone, b in /w gone" },
  { "git mv -h a", "" },
  { "git update-index a", "" },
  { "git update-index --skip-worktree a b", ". in /w, a in /w, b in /w" },
  { "git update-index --assume-unchanged a", ". in /w, a in /w" },
  { "git update-index --force-remove a", ". in /w, a in /w" },
  { "git revert a", ". in /w" },
  { "git cherry-pick a", ". in /w" },
  { "git clone u", "" },
  { "git clone u d", "d in /w below" },
  { "git clone -b x u d", "d in /w below" },
  { "git clone --depth 1 u d", "d in /w below" },
  { "git worktree add d", "d in /w below" },
  { "git worktree list d", "" },
  { "git worktree remove d", "" },
  { "git -C d reset --hard", ". in /w/d" },
  { "git -C d rm a", ". in /w/d, a in /w/d gone" },
  { "git --work-tree=d checkout a", ". in /w/d below, a in /w/d gone" },
  { "git --work-tree d checkout .", ". in /w/d below" },
  { "git -c a=b rm c", ". in /w, c in /w gone" },
  { "git --git-dir x rm c", ". in /w, c in /w gone" },
  { "git add a", "" },
  { "git commit -m a", "" },
  { "git", "" },
}

describe("code", function()
  it("runs other programs", function()
    for _, row in ipairs(CODE) do
      local found = {}
      code.runs(row[1], row[3], function(line)
        found[#found + 1] = type(line) == "table" and "[" .. table.concat(line, ",") .. "]" or line
      end)
      local got = table.concat(found, " | ") .. (code.changes(row[1]) and " CHANGES" or "")
        .. (code.runs_arguments(row[1], row[3]) and " ARGS" or "")
      assert.equal(row[1] .. " → " .. row[2], row[1] .. " → " .. got)
    end
  end)

  it("is in arguments, in the input and in files that the line has written", function()
    for _, row in ipairs(LINES) do
      local found, all = {}, orcs.shell(row[1], "/w")
      for at, command in ipairs(all) do
        local known = setmetatable({ all = all, at = at, line = row[1] }, { __index = command })
        for _, piece in ipairs(code.of_command(command, known)) do
          local words = #piece.words > 0 and " (" .. table.concat(piece.words, ",") .. ")" or ""
          found[#found + 1] = piece.language .. ": " .. piece.text:gsub("\n", "") .. words
        end
      end
      assert.equal(row[1] .. " → " .. row[2], row[1] .. " → " .. table.concat(found, " | "))
    end
  end)
end)

describe("git", function()
  it("changes files", function()
    for _, row in ipairs(GIT) do
      local found = {}
      local command = orcs.shell(row[1], "/w")[1]
      git(command.argv, command.cwd, nil, function(text, folder, how)
        found[#found + 1] = text .. " in " .. folder .. (how and " " .. how or "")
      end)
      assert.equal(row[1] .. " → " .. row[2], row[1] .. " → " .. table.concat(found, ", "))
    end
  end)
end)
