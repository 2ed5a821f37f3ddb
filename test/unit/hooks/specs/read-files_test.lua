local patch = require "file_guard.patch"
local sources = require "file_guard.sources"

-- A command line, and the texts in it that may be files that it shows: behind `@` is the position of the word, nil for a
-- string in code, and behind `>` is where it is copied to.
local LINES = {
  { "cat a -n b --x=c", "a@2 | -n@3 | b@4 | --x=c@5 | c@5 | --x@5 | c@5" },
  { "cat a=b", "a=b@2 | b@2 | a@2 | b@2" },
  { "cat @a", "@a@2 | a@2 | a@2" },
  { "cat -ofoo", "-ofoo@2 | foo@2" },
  { "cat file:///a/b", "file:///a/b@2 | /a/b@2 | file@2 | ///a/b@2" },
  { "cat FILE:///a/b", "FILE:///a/b@2 | /a/b@2 | FILE@2 | ///a/b@2" },
  { "curl https://h/a", "" },
  { "curl -d @a https://h", "-d@2 | @a@3 | a@3 | a@3" },
  { "curl -d x=@a https://h", "-d@2 | x=@a@3 | @a@3 | x@3 | a@3" },
  { "curl -F x=@a;type=b https://h", "-F@2 | x=@a@3 | @a@3 | x@3 | a@3" },
  { "curl -F x=https://h/a u", "-F@2 | x=https://h/a@3 | u@4" },
  { "curl -F x=file:///a u", "-F@2 | x=file:///a@3 | file:///a@3 | x@3 | file@3 | ///a@3 | u@4" },
  { "scp a h:b", "a@2 | h:b@3 | h@3 | b@3" },
  { "cat -- -a", "-a@3" },
  { "cat a:b", "a:b@2 | a@2 | b@2" },
  { "ls a", "" },
  { "wc a", "" },
  { "wc --files0-from=a", "--files0-from=a@2 | a@2 | --files0-from@2 | a@2" },
  { "fd -x cat a", "-x@2 | cat@3 | a@4 | a@2 | …@3" },
  { "fd a -X cat", "a@2 | -X@3 | cat@4 | …@2" },
  { "fd --exec cat a", "--exec@2 | cat@3 | a@4 | a@2 | …@3" },
  { "file -f a", "-f@2 | a@3" },
  { "make -f a", "-f@2 | a@3" },
  { "make --makefile=a", "--makefile=a@2 | a@2 | --makefile@2 | a@2" },
  { "tree --fromfile a", "--fromfile@2 | a@3" },
  { "tree a", "" },
  { "git status a", "" },
  { "git diff a", "a@3" },
  { "git diff -- a :!b :^c", "a@4" },
  { "git diff ':(exclude)a' b", "b@4" },
  { "git log a", "" },
  { "git log -p a", "a@4" },
  { "git log -L1,2:a", "1,2:a@3 | 1@3 | 2@3 | a@3" },
  { "git log --patch a", "a@4" },
  { "git shortlog -u a", "a@4" },
  { "git show HEAD:a", "HEAD:a@3 | HEAD@3 | a@3" },
  { "git -C d show HEAD:a", "HEAD:a@5 | HEAD@5 | a@5" },
  { "git -c a=b show HEAD:a", "HEAD:a@5 | HEAD@5 | a@5" },
  { "git grep x a", "a@4" },
  { "git grep -e x a", "a@5" },
  { "git grep -f x a", "x@4 | a@5" },
  { "git mv a b", "a@3>b" },
  { "git stash show a", "show@3 | a@4" },
  { "git stash a", "" },
  { "git commit -F a", "a@4" },
  { "git commit -m x a", "a@5" },
  { "git config -f a x", "a@4 | x@5" },
  { "git config -l", "" },
  { "git", "" },
  { "git -C d", "" },
  { "cp a b", "a@2>b" },
  { "cp a b c", "a@2>c | b@3>c" },
  { "cp -t c a b", "a@4>c | b@5>c" },
  { "cp --target-directory=c a", "a@3>c" },
  { "mv a b", "a@2>b" },
  { "cp a", "a@2" },
  { "tar cf x a b", "a@4 | b@5" },
  { "tar -cf x -C d a", "a@6 | d/a@6" },
  { "tar -cf x --directory=d a", "a@5 | d/a@5" },
  { "tar xf x a", "" },
  { "tar xOf x a", "a@4" },
  { "tar -xf x --to-stdout a", "a@5" },
  { "tar tf x a", "" },
  { "tar -rf x -T list a", "list@5 | a@6" },
  { "tar -cf x --files-from=list", "list@4" },
  { "tar --create -f x a", "a@5" },
  { "tar", "" },
  { "grep x a b", "a@3 | b@4" },
  { "grep -e x a", "a@4" },
  { "grep --regexp=x a", "a@3" },
  { "grep -f x a", "x@3 | a@4" },
  { "grep -q x a", "" },
  { "grep -l x a", "" },
  { "grep -c x a", "" },
  { "grep --include=b x a", "b@2 | a@4" },
  { "rg -g b x a", "b@3 | a@5" },
  { "rg -g '!b' x a", "a@5" },
  { "rg -L x a", "a@4" },
  { "ag -L x a", "" },
  { "sed s/x/y/ a", "a@3" },
  { "sed -e s/x/y/ a", "a@4" },
  { "sed -n p a", "a@4" },
  { "sed -i s/x/y/ a", "" },
  { "sed -i 'w /dev/stdout' a", "a@4" },
  { "sed -f x a", "x@3 | a@4" },
  { "sed 'r x' a", "a@3 | x@nil" },
  { "sed 'r./x' a", "a@3 | ./x@nil" },
  { "sed '/a/r x;p' b", "b@3 | x@nil" },
  { "awk '{print}' a", "a@3" },
  { "awk -f x a", "x@3 | a@4" },
  { "awk -v b=c x a", "a@5" },
  { "awk -v b=c '{ getline < b }' a", "b=c@3 | c@3 | b@3 | c@3 | a@5" },
  { "awk x a b=c d", "a@3 | d@5" },
  { "awk '{ getline < b }' a b=c/d e", "c/d@4 | a@3 | e@5" },
  { "gawk -e x a", "a@4" },
  { "awk --assign=b=c '{ getline < b }' a", "b=c@2 | c@2 | b@2 | c@2 | a@4" },
  { [[awk 'BEGIN{getline < "x"}']], "x@nil" },
  { "jq . a", "a@3" },
  { "jq -f x a", "x@3 | a@4" },
  { "jq --slurpfile n x . a", "x@4 | .@5 | a@6" },
  { "jq --rawfile n x . a", "x@4 | .@5 | a@6" },
  { "yq . a", "a@3" },
  { "yq a", "a@2" },
  { "yq eval a", "a@3" },
  { "yq eval . a", "a@4" },
  { "yq . < a", "" },
  { "cat x | yq a", "x@2" },
  { "yq -p props a", "a@4" },
  { "dd if=a of=b", "a@2" },
  { "env A=b c", "c@3" },
  { "env a=b", "" },
  { "openssl rsa -in a", "rsa@2 | -in@3 | n@3 | a@4" },
  { "openssl rsa -in a -noout", "" },
  { "openssl rsa -in a -noout -text", "rsa@2 | -in@3 | n@3 | a@4 | -noout@5 | oout@5 | -text@6 | ext@6" },
  { "openssl rsa -in a -pubout", "" },
  { "openssl genrsa -out a", "" },
  { "openssl enc -in a", "enc@2 | -in@3 | n@3 | a@4" },
  { "openssl x509 -in a -noout", "" },
  { "perl -pi -e 's/x/y/' a", "" },
  { "perl -pi -e 's/x/y/e' a", "-pi@2 | i@2 | -e@3 | s/x/y/e@4 | a@5" },
  { "perl -i -ne 'print' a", "-i@2 | -ne@3 | e@3 | print@4 | a@5" },
  { "perl -pe 's/x/y/' a", "-pe@2 | e@2 | s/x/y/@3 | a@4" },
  { "perl -pi -e 's/x/STDOUT/' a", "-pi@2 | i@2 | -e@3 | s/x/STDOUT/@4 | a@5" },
  { "perl -i a", "" },
  { "ruby -pi -e 's/x/y/' a", "" },
  { [[python -c "open('a')"]], "a@nil | -c@2 | open('a')@3" },
  { [[python -c 'open("a")' b]], 'a@nil | -c@2 | open("a")@3 | b@4' },
  { [[python -c "print('a')"]], "-c@2 | @3" },
  { [[python -c "print('a', open('b'))"]], "a@nil | b@nil | -c@2 | print('a', open('b'))@3 | print('a'@3 |  open('b'))@3" },
  { [[python -c "os.path.exists('a')"]], "-c@2 | os.@3" },
  { [[python -c "Path('a').exists()"]], "-c@2 | ()@3" },
  { [[python -c "Path('a').read_text()"]], "a@nil | -c@2 | Path('a').read_text()@3" },
  { [[python -c "'a' in x"]], "-c@2 | x@3" },
  { [[node -e "console.log('a')"]], "-e@2 | @3" },
  { [[node -e "fs.existsSync('a') && fs.readFileSync(\`b\`)"]], "b@nil | -e@2 | fs. && fs.readFileSync(`b`)@3" },
  { 'ruby -e "puts %w(a b)"', "a b@nil | -e@2 | puts %w(a b)@3" },
  { [[ruby -e "File.exist?('a')"]], "-e@2 | @3" },
  { [[ruby -e "File.read('a')"]], "a@nil | -e@2 | File.read('a')@3" },
  { [[php -r "file_exists('a');"]], "-r@2 | ;@3" },
  { [[perl -e 'print 1 if -e "a"']], "-e@2 | print 1 @3" },
  { [[perl -e 'print -s "a"']], "-e@2 | @3" },
  { [[perl -e 'unless (-f "a") {}']], "-e@2 | unless ) {}@3" },
  { [[perl -e 'x() && -d "a"']], "-e@2 | x() &@3" },
  { [[perl -e 'cat -e "a"']], 'a@nil | -e@2 | cat -e "a"@3' },
  { "dotenv -p a", "-p@2 | a@3" },
  { "dotenv -e a b", "b@4" },
  { "node --env-file=a b", "b@3" },
  { "node --env-file a b", "b@4" },
  { "foo --env-file a b", "b@4" },
  { "ssh -i a h", "h@4" },
  { "ssh -ia h", "h@3" },
  { "ssh h cat a", "h@2 | cat@3 | a@4 | a@2" },
  { "curl --key a u", "u@4" },
  { "curl --key=a u", "u@3" },
  { "curl -K a u", "-K@2 | a@3 | u@4" },
  { "docker build -t a b", "build@2 | b@5" },
  { "docker run --env-file a b", "run@2 | b@5" },
  { "kubectl apply -f a", "apply@2" },
  { "zip x a", "x@2 | a@3" },
  { "zip -x a b", "b@4" },
  { "foo a", "a@2" },
  { "foo -a b", "-a@2 | b@3" },
  { "foo -ab", "-ab@2 | b@2" },
  { "FOO A", "A@2" },
  { "base64 a", "a@2" },
}

-- A text, whether it is a patch, and the files in it.
local PATCHES = {
  { "*** Begin Patch\n*** Update File: a b \n@@\n-x\n+y\n*** End Patch", "patch: update a b" },
  { "*** Begin Patch\n*** Update File: a\n*** Move to: b", "patch: update a, move b" },
  { "*** Add File: a\n+x", "patch: add a" },
  { "x\n*** Delete File: a", "patch: delete a" },
  { " *** delete file : a", "patch: delete a" },
  { "*** Rename File: a", "patch: " },
  { "*** Update: a", "no patch: update a" },
  { "*** Update File:", "patch: " },
  { "*** Begin x", "no patch: " },
  { "--- a/x\n+++ b/y\n@@ -1 +1 @@", "patch: update a/x, update x, update b/y, update y" },
  { "--- a/x\t2020-01-01\n+++ b/x\t2020-01-01", "patch: update a/x, update x, update b/x, update x" },
  { "--- /dev/null\n+++ b/x", "patch: add b/x, add x" },
  { "--- a/x\n+++ /dev/null", "patch: update a/x, update x" },
  { "--- \"a/x y\"\n+++ \"b/x y\"", "patch: update a/x y, update x y, update b/x y, update x y" },
  { "--- x\n+++ x", "patch: update x, update x" },
  { "--- /dev/null\n+++ b/x\n--- a/y\n+++ b/y", "patch: add b/x, add x, update a/y, update y, update b/y, update y" },
  { "y\n--- a/x\n+++ b/x", "patch: update a/x, update x, update b/x, update x" },
  { "--- a/x", "no patch: update a/x, update x" },
  { "x --- a/x\n+++ b/x", "no patch: update b/x, update x" },
  { "+++ b/x", "no patch: update b/x, update x" },
  { "diff --git a/x b/y\nrename from x\nrename to y", "patch: update x, move y" },
  { "diff --git a/x b/y\ncopy from x\ncopy to y", "patch: update x, move y" },
  { "x diff --git a/x b/y\nrename from x", "no patch: update x" },
  { "diff --git a/x b/x\ndeleted file mode 100644\nnew mode 100644", "patch: " },
  { "diff --git a/x b/x\nsimilarity index 100%", "patch: " },
  { "some text from me", "no patch: " },
}

-- A command line: whether its last command shows the files that it is handed, whether it reads names from a list, and
-- whether it shows the files that it names.
local TAKES = {
  { "cat", "takes - reads" },
  { "ls", "- - -" },
  { "cp", "takes - -" },
  { "git", "- - -" },
  { "git add", "takes - -" },
  { "git -C d show", "takes - -" },
  { "git status", "- - -" },
  { "grep x", "takes - reads" },
  { "grep -l x", "- - reads" },
  { "rg --files", "- - reads" },
  { "sed p", "takes - reads" },
  { "jq .", "takes - reads" },
  { "foo", "takes - -" },
  { "tar cT x", "takes listed reads" },
  { "tar -cT x", "takes listed reads" },
  { "tar c x", "takes - reads" },
  { "tar c -T x", "takes listed reads" },
  { "gtar -T x", "takes listed -" },
  { "cpio -o", "takes listed -" },
  { "pax -w", "takes listed -" },
  { "pax -r", "takes - -" },
  { "zip -@ x", "takes listed reads" },
  { "zip x a", "takes - reads" },
  { "rsync --files-from=x a b", "takes listed reads" },
  { "rsync a b", "takes - reads" },
  { "wc --files0-from=-", "- listed -" },
  { "wc a", "- - -" },
  { "LS", "- - -" },
  { "mv", "takes - -" },
}

-- A command line, and the folders that its container mounts.
local VOLUMES = {
  { "docker run -v /a:/b x", "/a" },
  { "docker run -v/a:/b x", "/a" },
  { "docker run --volume /a:/b x", "/a" },
  { "docker run --volume=/a:/b:ro x", "/a" },
  { "docker run -v /a x", "" },
  { "docker run -v", "" },
  { "docker run --mount type=bind,source=/a,target=/b x", "/a" },
  { "docker run --mount type=bind,src=/a,dst=/b x", "/a" },
  { "docker run --mount=type=volume,source=a,target=/b x", "a" },
  { "docker run --mount type=tmpfs,target=/b x", "" },
  { "docker run -v /a:/b -v /c:/d x", "/a /c" },
  { "docker run x", "" },
}

-- A command line, and the commands of a database's shell in it.
local META = {
  { [[psql -c '\i x']], [[\i x]] },
  { [[psql -c '\! x']], [[\! x]] },
  { [[psql -c 'select 1']], "" },
  { [[sqlite3 d '.read x']], ".read x" },
  { [[sqlite3 d 'select .5']], "" },
  { [[duckdb d '.read x']], ".read x" },
  { "mysql -e 'source x'", "source x" },
  { "mysql -e 'sources x'", "" },
  { "mariadb -e ' source x'", " source x" },
  { "foo -e 'source x'", "" },
  { "mysql <<E\nsource x\nselect 1\nE", "source x" },
  { "mysql <<< 'source x'", "source x'" },
}

describe("what is read", function()
  it("from what is handed over", function()
    for _, row in ipairs(TAKES) do
      local command = orcs.shell(row[1], "/w")[1]
      local got = (sources.takes(command) and "takes " or "- ") .. (sources.is_listed(command) and "listed " or "- ")
        .. (sources.is_reader(command) and "reads" or "-")
      assert.equal(row[1] .. " → " .. row[2], row[1] .. " → " .. got)
    end
  end)

  it("from mounted folders", function()
    for _, row in ipairs(VOLUMES) do
      local got = table.concat(sources.volumes(orcs.shell(row[1], "/w")[1]), " ")
      assert.equal(row[1] .. " → " .. row[2], row[1] .. " → " .. got)
    end
  end)

  it("by commands of the shells of databases", function()
    for _, row in ipairs(META) do
      local got = table.concat(sources.meta_commands(orcs.shell(row[1], "/w")[1], row[1]), " ")
      assert.equal(row[1] .. " → " .. row[2], row[1] .. " → " .. got)
    end
  end)

  it("by programs", function()
    for _, row in ipairs(LINES) do
      local found = {}
      for _, command in ipairs(orcs.shell(row[1], "/w")) do
        sources.each(command, function(text, at, target)
          found[#found + 1] = text .. "@" .. tostring(at) .. (target and ">" .. target or "")
        end)
      end
      assert.equal(row[1] .. " → " .. row[2], row[1] .. " → " .. table.concat(found, " | "))
    end
  end)
end)

describe("a patch", function()
  it("names its files", function()
    for _, row in ipairs(PATCHES) do
      local found = {}
      for _, file in ipairs(patch.files(row[1])) do found[#found + 1] = file.verb .. " " .. file.path end
      local got = (patch.is_patch(row[1]) and "patch: " or "no patch: ") .. table.concat(found, ", ")
      assert.equal(row[1] .. " → " .. row[2], row[1] .. " → " .. got)
    end
  end)
end)
