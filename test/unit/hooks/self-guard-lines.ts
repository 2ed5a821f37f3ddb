import { homedir } from "node:os";

export const HOME = homedir();
export const STATE = `${HOME}/.local/state/orcs`;
export const CONFIG = `${HOME}/.config/orcs`;
export const PROGRAM = "/opt/tools/node_modules/orcs";
export const RUNTIME = "/run-of-nobody/orcs";
export const PROJECT = "/work-of-nobody/project";
export const DEV = "/work-of-nobody/dev";

/** One line each; what is no placeholder is written `\${…}`. */
function lines(text: string): readonly string[] {
  return text
    .replaceAll("\\${", "${")
    .split("\n")
    .flatMap((line) => {
      const trimmed = line.trim();
      return trimmed === "" ? [] : [trimmed];
    });
}

/** Lines that nobody may run unasked: denied where it is certain what they do, asked about where it is not. */
export const STOPPED: Readonly<Record<string, readonly string[]>> = {
  "1: cd to what the reader does not know": lines(String.raw`
  `),
  "2: substitutions": lines(String.raw`
    rm $(git ls-files .claude)
    sed -i s/a/b/ $(grep -rl 'orcs hook' ~/.claude)
    f=$(ls -d .claude/settings.json); sed -i s/orcs/x/ "$f"
    rm -rf ~/.local/state/"$(cat name)"
    echo '{}' > ~/.claude/$F
    read p <<< ~/.local/state/orcs; rm -rf "$p"
    read -r p <<< "$HOME/.local/state/orcs" && rm -rf "$p"
    printf -v p '%s/%s' ~/.local/state orcs; rm -rf "$p"
    mapfile -t p < <(ls -d ~/.local/state/orcs); rm -rf "\${p[@]}"
    readarray -t p < <(echo ~/.local/state/orcs); rm -rf "\${p[0]}"
    for p in $(ls -d ~/.local/state/orcs/*); do rm -rf "$p"; done
    find ~/.local/state -maxdepth 1 | while read -r p; do rm -rf "$p"; done
    echo ~/.local/state/orcs > list; rm -rf $(cat list)
    truncate -s 0 $(ls ~/.local/state/orcs/*.json)
    rm -f "$(find / -name trust.json 2>/dev/null | head -1)"
    IFS= read -r -d '' p < <(printf '%s' ~/.local/state/orcs); rm -rf "$p"
    set -- $(ls -d ~/.local/state/orcs); rm -rf "$@"
  `),
  "3: xargs and find": lines(String.raw`
    find ~ -name trust.json -print0 | xargs -0 rm -f
    find ~ -path '*state/orcs*' | xargs rm -rf
    echo .claude/settings.json | xargs truncate -s 0
    fd -H settings.json .claude -x rm
    find . -name 'settings*' -delete
    find ~ -name seals -exec chmod -R 000 {} +
    find ~ -name trust.json -exec sh -c 'rm "$1"' _ {} \;
    find ~ -name trust.json -exec python3 -c 'import os,sys; os.remove(sys.argv[1])' {} \;
    cat ~/.local/state/orcs/files | xargs rm
  `),
  "4: interpreters": [
    `python3.11 -c "import os; os.system('orcs trust --yes')"`,
    `/usr/bin/python3.12 -c "import shutil; shutil.rmtree('${STATE}')"`,
    `nodejs -e "require('fs').rmSync('${STATE}', { recursive: true })"`,
    `python3 -u - <<E\nimport os\nos.system('orcs trust')\nE`,
    `python3 -uB <<'E'\nopen('${STATE}/trust.json', 'w')\nE`,
    `python3 -X utf8 - a b <<'E'\nopen('${STATE}/trust.json', 'w')\nE`,
    `python3 /dev/stdin <<'E'\nopen('${STATE}/trust.json', 'w')\nE`,
    `node --input-type=module - <<'E'\nimport { rmSync } from 'node:fs'\nrmSync('${STATE}', { recursive: true })\nE`,
    `node --input-type=module -e "import('fs').then(f => f.rmSync('${STATE}'))"`,
    `uv run python - <<'E'\nimport shutil\nshutil.rmtree('${STATE}')\nE`,
    `poetry run python -c "import os; os.system('orcs trust')"`,
    `uvx ipython -c "import os; os.system('orcs trust')"`,
    `ruby3.2 -e 'File.delete("${STATE}/trust.json")'`,
    `lua5.4 -e 'os.remove("${STATE}/trust.json")'`,
    `echo "import shutil; shutil.rmtree('${STATE}')" | python3.12 -`,
    `cat <<'E' | python3 -\nimport shutil\nshutil.rmtree('${STATE}')\nE`,
    `cat > x.py <<'E'\nimport shutil\nshutil.rmtree('${STATE}')\nE\npython3 x.py`,
    `echo "require('fs').rmSync('${STATE}')" > x.js && node x.js`,
    `Rscript -e 'unlink("${STATE}", recursive=TRUE)'`,
  ],
  "5: code": [
    `ruby -rfileutils -e 'FileUtils.rm_rf(Dir.home + "/.local/state/orcs")'`,
    `vim -es -c 'call system("rm -rf ~/.local/state/orcs")' -c q`,
    `nvim --headless -c ':!echo > ~/.claude/settings.json' -c q`,
    `emacs --batch --eval '(delete-directory "~/.local/state/orcs" t)'`,
    `emacs --batch --eval '(shell-command "orcs trust --yes")'`,
    `node -e "require('fs').writeFileSync(require('os').homedir()+'/.local/state/orcs/trust.json', '{}')"`,
    `node -e "const fs=require('fs'),p=require('path'); fs.rmSync(p.join(process.env.HOME,'.local','state','orcs'),{recursive:true})"`,
    `node -e 'require("fs").rmSync(\`\${process.env.HOME}/.local/state/orcs\`)'`,
    `node -e "require('fs').promises.rm('${HOME}/.local/state', {recursive: true})"`,
    `python3 -c "import shutil,os; shutil.rmtree(os.path.expanduser('~/.local/state/orcs'))"`,
    `python3 -c "import os; f = f'{os.environ[\\"HOME\\"]}/.claude/settings.json'; open(f, 'w')"`,
    `node -e "require('fs').writeFileSync(process.argv[1], '{}')" ~/.claude/settings.json`,
    `python3 - ~/.claude/settings.json <<'E'\nimport sys\nopen(sys.argv[1], 'w').write('{}')\nE`,
    `python3 - <<'E'\nimport json\np = '.claude/settings.json'\nd = json.load(open(p))\ndel d['hooks']\nwith open(p, 'w') as f:\n    json.dump(d, f)\nE`,
    `python3 - <<'E'\nimport subprocess\nsubprocess.run(\n    ['orcs', 'trust', '--yes'],\n    check=True,\n)\nE`,
    `python3 - <<'E'\nimport pty\npty.spawn(['orcs', 'trust'])\nE`,
    `python3 - <<'E'\nfrom subprocess import run\nrun("orcs trust --yes", shell=True)\nE`,
    `node - <<'E'\nconst { execa } = require('execa')\nexeca('orcs', ['trust', '--yes'])\nE`,
    `bun -e 'import { $ } from "bun"; await $\`orcs trust --yes\`'`,
    `perl -e 'open(F, ">", "$ENV{HOME}/.claude/settings.json")'`,
    `gdb -batch -ex 'shell orcs trust --yes'`,
  ],
  "6: a tree over it": lines(String.raw`
    cp -rf /tmp/x/.local ~/
    cd ~/.claude && tar xf x.tar
    bsdtar -xf x.zip -C ~/.claude
    7z x x.7z -o$HOME/.claude
    zip -rm x.zip ~/.local/state/orcs
    scp -r host:.claude ~
    install -D x ~/.claude/settings.json
  `),
  "7: git": lines(String.raw`
    git --work-tree=.claude checkout -f
    git restore --source HEAD~3 .claude
    git rm -rf --ignore-unmatch .claude/settings.json
    git show HEAD:a > .claude/settings.json
    git archive HEAD -o .claude/settings.json
    git clone https://example.com/dotfiles ~/.claude
    git config -f .codex/config.toml features.hooks false
    git apply <<< "$(printf '%s\n' '--- a/.claude/settings.json' '+++ b/.claude/settings.json')"
  `),
  "8: programs that write and are not known": lines(String.raw`
    sg run -U -p a -r b .claude/settings.json
    dasel put -f .claude/settings.json -v x hooks
    crudini --set ~/.codex/config.toml features hooks false
    uudecode -o ~/.local/state/orcs/trust.json x
    time -o ~/.local/state/orcs/trust.json ls
    kak -e 'exec d' .claude/settings.json
    gio trash ~/.local/state/orcs
    srm -r ~/.local/state/orcs
    wipe -rf ~/.local/state/orcs
    nu -c 'rm -rf ~/.local/state/orcs'
    unshare -m mount --bind /tmp/x ~/.local/state
    ansible localhost -m file -a 'path=~/.local/state/orcs state=absent'
    mytool --fix .claude/settings.json
    mytool --out=$HOME/.local/state/orcs/trust.json
    gtrash put ~/.local/state/orcs
    mmv ~/.local/state/orcs /tmp/x
    patch .claude/settings.json x.diff
    nano ~/.claude/settings.json
    logrotate -f ~/.local/state/orcs
    socat -u FILE:x CREATE:$HOME/.local/state/orcs/trust.json
    mkfs.ext4 ~/.local/state/orcs
    restic restore latest --target ~/.local/state/orcs
    borg extract x ~/.local/state/orcs
    tomlq -i -t 'del(.features)' ~/.codex/config.toml
    yq -i 'del(.hooks)' .claude/settings.json
    gron -u x -o .claude/settings.json
  `),
  "9: orcs by another way": [
    ...lines(String.raw`
    cd ${PROGRAM}/dist/cli && node main.js trust --yes
    cd ${PROGRAM} && node dist/cli/main trust
    node ${PROGRAM}/dist/cli/main trust
    node --enable-source-maps dist/../node_modules/orcs/dist/cli/main trust
    cp ${PROGRAM}/bin/orcs.cjs /tmp/o; node /tmp/o trust --yes
    ln -s ${PROGRAM}/bin/orcs.cjs o && ./o trust
    O=orcs; command $O trust --yes
    node -e "import('${PROGRAM}/dist/config/trust/trust-store.js').then(m => new m.TrustStore())"
    node --input-type=module -e "import { TrustStore } from '${PROGRAM}/dist/config/trust/trust-store.js'; new TrustStore()"
    node -e "require('${PROGRAM}/bin/orcs.cjs')" trust
    node -e "process.argv.push('trust'); import('${PROGRAM}/dist/cli/main.js')"
    node -r ${PROGRAM}/bin/orcs.cjs x trust
    echo '@reboot orcs trust --yes' | crontab -
    systemd-run --user --on-active=5 sh -c 'orcs trust --yes'
    tmux send-keys -t x orcs Space trust Space --yes Enter
    screen -S x -X stuff 'orcs trust --yes^M'
    npm pkg set scripts.x='orcs trust --yes' && npm run x
    watch -n 1 orcs trust --yes
    entr -r orcs trust --yes < x
    printf 'orcs trust --yes\n' >> $HOME/.bash_profile
    echo 'exit 0' > $(which orcs)
    npm install --global orcs
    yarn global add orcs@0.0.1
    npm rm --location=global orcs
    cd ${PROGRAM} && npm link
    docker exec -it $(docker ps -q) true; orcs trust
    ssh $(hostname) orcs trust
    nsenter -t 1 -m orcs trust
    su me -c 'orcs trust --yes'
    strace -f orcs trust
    dbus-run-session orcs trust
    firejail orcs trust
    make -C x -f - <<< 'x: ; orcs trust'
    just --justfile /dev/stdin <<< 'x: ; orcs trust'
  `),
    "make -f - <<'E'\nx:\n\t@npx orcs trust --yes\nE",
    "at now + 1 minute <<'E'\norcs uninstall --yes\nE",
    "cat > x <<'E'\norcs trust --yes\nE\ncrontab x",
    "expect <<'E'\nspawn orcs trust\nexpect y\nsend y\\r\nE",
  ],
};

/** Everyday lines, and what was denied that should not have been. */
export const EVERYDAY: Readonly<Record<string, readonly string[]>> = {
  "the runtime folder in /tmp": lines(String.raw`
    find /tmp -mtime +1 -delete
  `),
  "orcs in the project's own node_modules": lines(String.raw`
    rm -rf ./node_modules package-lock.json
    npx rimraf node_modules
    chown -R me .
    mv node_modules x
    find . -not -path './node_modules/*' -name '*.js' -delete
    find node_modules -name '*.d.ts' -delete
    rm -rf node_modules/.cache
    rm -rf node_modules/*
    rm -rf node_modules/o*
    tar xf node_modules.tar
    npm install orcs@latest
    rm -rf node_modules && npm install
  `),
  "settings that stay": lines(String.raw`
    git add -f .claude/settings.json
    git log -p .claude/settings.json
    git blame .claude/settings.json
    git check-ignore .claude/settings.json
    git stash push -m wip
    git stash pop
    tar -xzf nvim.tgz -C ~/.config
    rm -rf ~/.claude/projects/x
    jq -r '.hooks | keys[]' ~/.claude/settings.json
    grep -c hooks .claude/settings.json || true
    if [[ -e .claude/settings.json ]]; then echo yes; fi
    stat -c %s ~/.local/state/orcs/trust.json
    bat ~/.claude/settings.json
    orcs audit verify ~/.local/state/orcs/audit.jsonl
    tail -n 5 ~/.local/state/orcs/audit.jsonl | jq .
    sqlite3 -readonly x.db .tables
  `),
  "other things called orcs": lines(String.raw`
    pkill -f /work/orcs/server.js
    docker compose run app orcs trust --yes
    docker run --rm -v "$PWD:/w" img sh -c 'orcs trust --yes && orcs check'
    podman run img npx orcs trust --yes
    ssh me@build.example.com 'cd x && orcs trust --yes'
    mkdir orcs && cd orcs && npm init -y
    mv ~/Downloads/orcs ~/src/
    docker rmi orcs
    docker stop orcs
    gh repo clone me/orcs
    gh pr create --title 'Say when to run orcs trust --yes' --body 'orcs trust --yes'
    cargo run --bin orcs-demo
    command -v orcs || echo missing
    man orcs
    ORCS_LOG=debug orcs list
    ls -l "$(command -v orcs)"
    ps aux | grep orcs
  `),
  "texts that only mention it": [
    ...lines(String.raw`
    perl -e 'print "orcs trust --yes\n"'
    git commit -m "docs: orcs uninstall, orcs trust --yes"
    grep -rn "rm -rf ~/.local/state/orcs" docs
    gh issue create --title x --body 'rm -rf ~/.local/state/orcs'
    tldr orcs trust
    ag 'trust\.json' .
  `),
    "cat > docs/x.md <<'EOF'\nRun `orcs trust --yes`, or remove ~/.local/state/orcs.\nThen edit ~/.claude/settings.json.\nEOF",
    "cat >> CHANGELOG.md <<EOF\n- orcs uninstall keeps ~/.local/state/orcs\nEOF\ngit add -A",
    "python3 - <<'E'\nfrom pathlib import Path\np = Path('README.md')\ns = p.read_text()\np.write_text(s.replace('x', 'Run `orcs trust --yes` first.'))\nE",
    "python3 - <<'E'\nimport subprocess\n# then: orcs trust --yes\nsubprocess.run(['npm', 'test'])\nprint('now run orcs trust --yes')\nE",
    "node - <<'E'\nconst fs = require('fs')\nfs.writeFileSync('a.md', 'orcs uninstall')\nE",
    "git commit -F - <<'E'\nTrust says when it asks\n\norcs trust --yes no longer passes in ~/.claude/settings.json.\nE",
    "git commit -m \"$(cat <<'EOF'\nKeep ~/.local/state/orcs\n\norcs trust --yes\nEOF\n)\"",
    "gh pr create --title x --body \"$(cat <<'EOF'\n## What\n`orcs trust --yes` in .claude/settings.json\nEOF\n)\"",
  ],
  "what the shell alone will know": lines(String.raw`
    cd "$(mktemp -d)" && git init && touch a
    cd "$(git rev-parse --show-toplevel)" && rm -rf dist
    f=$(ls -t *.log | head -1); rm "$f"
    for f in $(git ls-files '*.ts'); do sed -i s/a/b/ "$f"; done
    for d in packages/*; do (cd "$d" && npm test); done
    while read -r f; do rm "$f"; done < list.txt
    find . -name '*.orig' | while read -r f; do rm "$f"; done
    git ls-files | xargs sed -i 's/a/b/'
    git ls-files '*.json' | xargs prettier --write
    git diff --name-only | xargs eslint --fix
    git branch --merged | grep -v main | xargs git branch -d
    grep -rl foo src | xargs sed -i 's/foo/bar/g'
    rg -l foo | xargs sed -i 's/foo/bar/g'
    find . -type d -name __pycache__ -exec rm -rf {} +
    find . -type d -name dist -prune -exec rm -rf '{}' +
    find . -name '.DS_Store' -delete
    find . -empty -type d -delete
    docker ps -aq | xargs docker rm
    out=$(mktemp); npm test > "$out"; tail "$out"; rm "$out"
    tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT; cp a "$tmp/"
    cp "$SRC" "$DST"
    echo "$X" > "$OUT"
    sed -i "s/a/$B/" "$FILE"
    tar xf "$T" -C "$D"
    printf -v x '%03d' 5; mv a "a$x"
    mapfile -t fs < <(git ls-files); wc -l "\${fs[@]}"
    set -- a b; rm "$1"
    d=$(dirname "$0"); rm -rf "$d/build"
    npm version patch && git push origin "v$(node -p 'require("./package.json").version')"
    mkdir -p "$XDG_STATE_HOME/mine" && touch "$XDG_STATE_HOME/mine/a"
  `),
  // The other everyday lines are those of shell-guard.
  "everyday, if shell-guard minds": lines(String.raw`
    git branch -D x
    docker compose down -v
    docker system prune -f
    at now + 1 hour -f job.sh
  `),
  "what docs/trust.md says is not recognised": lines(String.raw`
    node -e "execSync(['or', 'cs trust'].join(''))"
    python3 -c "import base64; exec(base64.b64decode('b3JjcyB0cnVzdA=='))"
    a=$(echo H4sIAAAAAAAAA8svSi5WKCkqLS4BAJ+5zLAKAAAA | base64 -d | gunzip); $a
    rm -rf "$DIR"
    git stash -u
    claude --settings x.json -p 'go on'
  `),
  "with here-documents": [
    "cat > a.ts <<'EOF'\nexport const a = 1;\nEOF",
    "cat <<EOF > x.txt\n$A and $(date)\nEOF",
    "python3 - <<'E'\nimport json\nwith open('x.json', 'w') as f:\n    json.dump({'a': 1}, f)\nE",
    "python3 <<'E'\nimport os\nos.remove('a.txt')\nE",
    "node --input-type=module <<'E'\nimport { writeFileSync } from 'node:fs'\nwriteFileSync('a', 'b')\nE",
    "make -f - <<'E'\nx:\n\techo hi\nE",
    "docker build - <<'E'\nFROM node:20\nRUN npm i -g orcs && orcs trust --yes\nE",
    "cat > Dockerfile <<'E'\nFROM node:20\nRUN npm i -g orcs\nE",
    "cat > Makefile <<'E'\ntest:\n\tnpm test\nE\nmake test",
    "git apply <<'E'\n--- a/src/a.ts\n+++ b/src/a.ts\n@@ -1 +1 @@\n-a\n+b\nE",
  ],
};
