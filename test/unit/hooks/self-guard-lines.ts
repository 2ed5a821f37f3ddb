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
    cd "$XDG_STATE_HOME" && rm -rf orcs
    cd $XDG_STATE_HOME && rm -rf orcs/
    cd $XDG_STATE_HOME/orcs; rm -rf ./*
    cd "$XDG_STATE_HOME/orcs" && rm -f trust.json
    cd "\${XDG_STATE_HOME:-$HOME/.local/state}/orcs" && rm -rf seals
    cd "$CLAUDE_PROJECT_DIR" && rm -rf .claude
    cd "$CLAUDE_PROJECT_DIR/.claude" && rm settings.json
    cd "$(git rev-parse --show-toplevel)" && rm .claude/settings.json
    cd "$(git rev-parse --show-toplevel)/.claude" && echo '{}' > settings.json
    cd "$(git rev-parse --show-toplevel)/.claude"; sed -i /hooks/d settings.local.json
    CDPATH=~/.local cd state && rm -rf orcs
    export CDPATH=~/.local; cd state; rm -rf orcs
    cd ~/.local/state; cd /tmp; cd -; rm -rf orcs
    cd ~/.local/state/orcs; cd /tmp; cd "$OLDPWD"; rm -rf *
    cd ~/.local/state; cd /tmp; rm -rf $OLDPWD/orcs
    pushd ~/.local/state; pushd /tmp; popd; rm -rf orcs
    cd $(dirname ~/.local/state/orcs) && rm -rf orcs
    cd "$D" && rm -rf orcs
    cd "$D"; mv orcs /tmp/x
    cd "$D" && echo '{}' > trust.json
    cd "$D" && rm -rf seals
    cd "$D" && rm -rf .claude
    cd "$D/.codex" && rm hooks.json
    f() { cd ~/.local/state; }; f; rm -rf orcs
    if true; then cd ~/.local/state; fi; rm -rf orcs
    (cd "$XDG_STATE_HOME"; rm -rf orcs)
    pushd "$XDG_STATE_HOME"; rm -rf orcs
    cd "$XDG_STATE_HOME" && mv orcs x
    cd "$XDG_STATE_HOME" && find . -delete
    cd "$XDG_STATE_HOME" && git clean -fdx
  `),
  "2: substitutions": lines(String.raw`
    rm -rf "$(realpath ~/.local/state/orcs)"
    rm -rf $(readlink -f ~/.local/state/orcs)
    rm -rf $(ls -d ~/.local/state/*)
    rm -rf $(ls -d ~/.local/*)
    rm $(git ls-files .claude)
    rm $(find . -name settings.json)
    sed -i /orcs/d $(grep -rl orcs .claude)
    sed -i s/a/b/ $(grep -rl 'orcs hook' ~/.claude)
    f=$(ls -d .claude/settings.json); sed -i s/orcs/x/ "$f"
    f="$(realpath ~/.claude/settings.json)"; echo '{}' > "$f"
    p=$(echo ~/.local/state/orcs); rm -rf "$p"
    rm -rf ~/.local/state/$X
    rm -rf ~/.local/$X
    rm -rf "$HOME/.local/state/\${X}"
    rm -rf ~/.local/state/$X/seals
    rm -rf ~/.local/state/"$(cat name)"
    echo '{}' > ~/.claude/$F
    read p <<< ~/.local/state/orcs; rm -rf "$p"
    read -r p <<< "$HOME/.local/state/orcs" && rm -rf "$p"
    printf -v p '%s/%s' ~/.local/state orcs; rm -rf "$p"
    mapfile -t p < <(ls -d ~/.local/state/orcs); rm -rf "\${p[@]}"
    readarray -t p < <(echo ~/.local/state/orcs); rm -rf "\${p[0]}"
    for p in $(ls -d ~/.local/state/orcs/*); do rm -rf "$p"; done
    find ~/.local/state -maxdepth 1 | while read -r p; do rm -rf "$p"; done
    ls ~/.local/state | while read p; do rm -rf ~/.local/state/$p; done
    echo ~/.local/state/orcs > list; rm -rf $(cat list)
    a=~/.local; b=$(echo state/orcs); rm -rf $a/$b
    mv "$(dirname ~/.local/state/orcs/trust.json)" /tmp/x
    cp /dev/null "$(ls ~/.local/state/orcs/trust.json)"
    tee "$(ls .claude/settings.json)" < x
    chmod 000 "$(readlink -f ~/.local/state/orcs)"
    truncate -s 0 $(ls ~/.local/state/orcs/*.json)
    rm -rf "$(find ~ -type d -name seals)"
    rm -f "$(find / -name trust.json 2>/dev/null | head -1)"
    IFS= read -r -d '' p < <(printf '%s' ~/.local/state/orcs); rm -rf "$p"
    set -- ~/.local/state/orcs; rm -rf "$1"
    set -- $(ls -d ~/.local/state/orcs); rm -rf "$@"
  `),
  "3: xargs and find": lines(String.raw`
    find ~ -name trust.json | xargs rm
    find ~ -name trust.json -print0 | xargs -0 rm -f
    find ~ -name 'trust*' | xargs -I{} rm {}
    find ~ -path '*state/orcs*' | xargs rm -rf
    cd ~/.local/state; ls | xargs rm -rf
    cd ~/.local/state && ls -A | xargs -n1 rm -rf
    ls -d ~/.local/state/* | xargs rm -rf
    grep -rl orcs ~/.claude | xargs sed -i /orcs/d
    grep -rl 'orcs hook' .claude | xargs rm
    git ls-files .claude | xargs rm
    echo ~/.local/state/orcs | xargs rm -rf
    printf '%s\n' ~/.local/state/orcs | xargs -I{} mv {} /tmp
    echo .claude/settings.json | xargs truncate -s 0
    locate trust.json | xargs rm
    fd trust.json ~ | xargs rm
    fd -H settings.json .claude -x rm
    find . -name settings.json -delete
    find . -name settings.local.json -exec rm {} +
    find . -name 'settings*' -delete
    find . -path '*/.claude/*' -delete
    find .claude -delete
    find . -name .claude -exec rm -rf {} +
    find . -name .claude | xargs rm -rf
    find ~ -name orcs -type d -exec rm -rf {} \;
    find ~ -name 'or*' -exec rm -rf {} +
    find ~/.claude -name '*.json' -exec sed -i s/orcs/x/ {} +
    find ~/.local -exec rm -rf {} \;
    find / -name trust.json -exec mv {} /tmp \;
    find ~ -name seals -exec chmod -R 000 {} +
    find ~ -name trust.json -exec sh -c 'rm "$1"' _ {} \;
    find ~ -name trust.json -execdir rm {} \;
    find ~ -name trust.json -exec python3 -c 'import os,sys; os.remove(sys.argv[1])' {} \;
    xargs rm < <(echo ~/.local/state/orcs/trust.json)
    cat ~/.local/state/orcs/files | xargs rm
    parallel rm ::: ~/.local/state/orcs/trust.json
  `),
  "4: interpreters": [
    `python3.12 -c "open('${STATE}/trust.json', 'w')"`,
    `python3.11 -c "import os; os.system('orcs trust --yes')"`,
    `/usr/bin/python3.12 -c "import shutil; shutil.rmtree('${STATE}')"`,
    `node22 -e "require('fs').rmSync('${STATE}', { recursive: true })"`,
    `nodejs -e "require('fs').rmSync('${STATE}', { recursive: true })"`,
    `ipython -c "import os; os.system('orcs trust')"`,
    `ipython3 -c "open('${STATE}/trust.json', 'w')"`,
    `pypy3.10 -c "open('${STATE}/trust.json', 'w')"`,
    `python3 -u - <<E\nimport os\nos.system('orcs trust')\nE`,
    `python3 -u - <<'E'\nopen('${STATE}/trust.json', 'w')\nE`,
    `python3 -uB <<'E'\nopen('${STATE}/trust.json', 'w')\nE`,
    `python3 -X utf8 - a b <<'E'\nopen('${STATE}/trust.json', 'w')\nE`,
    `python3 /dev/stdin <<'E'\nopen('${STATE}/trust.json', 'w')\nE`,
    `node --input-type=module <<E\nimport fs from 'node:fs'; fs.rmSync('${STATE}')\nE`,
    `node --input-type=module - <<'E'\nimport { rmSync } from 'node:fs'\nrmSync('${STATE}', { recursive: true })\nE`,
    `node --input-type=module -e "import('fs').then(f => f.rmSync('${STATE}'))"`,
    `uv run - <<'E'\nimport shutil\nshutil.rmtree('${STATE}')\nE`,
    `uv run python - <<'E'\nimport shutil\nshutil.rmtree('${STATE}')\nE`,
    `uv run python -c "import shutil; shutil.rmtree('${STATE}')"`,
    `poetry run python -c "import os; os.system('orcs trust')"`,
    `uvx ipython -c "import os; os.system('orcs trust')"`,
    `perl5.36 -e 'unlink "${STATE}/trust.json"'`,
    `ruby3.2 -e 'File.delete("${STATE}/trust.json")'`,
    `php8.2 -r 'unlink("${STATE}/trust.json");'`,
    `lua5.4 -e 'os.remove("${STATE}/trust.json")'`,
    `bun -e "require('fs').rmSync('${STATE}')"`,
    `deno eval "Deno.removeSync('${STATE}', { recursive: true })"`,
    `tsx -e "require('fs').rmSync('${STATE}')"`,
    `echo "import shutil; shutil.rmtree('${STATE}')" | python3`,
    `echo "import shutil; shutil.rmtree('${STATE}')" | python3.12 -`,
    `cat <<'E' | python3 -\nimport shutil\nshutil.rmtree('${STATE}')\nE`,
    `python3 -c "$(cat <<'E'\nimport shutil\nshutil.rmtree('${STATE}')\nE\n)"`,
    `python3 <<< "import shutil; shutil.rmtree('${STATE}')"`,
    `cat > x.py <<'E'\nimport shutil\nshutil.rmtree('${STATE}')\nE\npython3 x.py`,
    `echo "require('fs').rmSync('${STATE}')" > x.js && node x.js`,
    `Rscript -e 'unlink("${STATE}", recursive=TRUE)'`,
  ],
  "5: code": [
    `python3 -c "import os; os.system('rm -rf ~/.local/state/orcs')"`,
    `python3 -c "import os; os.system('cd ~/.local/state && rm -rf orcs')"`,
    `python3 -c "import subprocess; subprocess.run(['rm', '-rf', '${STATE}'])"`,
    `python3 -c "import subprocess as s; s.check_call('rm -rf ~/.local/state/orcs', shell=True)"`,
    `python3 -c "import os; os.popen('echo > ~/.claude/settings.json')"`,
    `python3 -c "import os; os.execvp('rm', ['rm', '-rf', '${STATE}'])"`,
    `awk 'BEGIN{system("rm -rf ~/.local/state/orcs")}'`,
    `awk 'BEGIN { "rm -rf ~/.local/state/orcs" | getline }'`,
    `awk 'BEGIN { print "{}" > "${HOME}/.claude/settings.json" }'`,
    `perl -e 'system("rm -rf ~/.local/state/orcs")'`,
    `perl -e 'exec "rm", "-rf", "${STATE}"'`,
    `perl -e 'print \`rm -rf ~/.local/state/orcs\`'`,
    `ruby -e 'system("rm -rf ~/.local/state/orcs")'`,
    `ruby -rfileutils -e 'FileUtils.rm_rf(Dir.home + "/.local/state/orcs")'`,
    `php -r 'shell_exec("rm -rf ~/.local/state/orcs");'`,
    `lua -e 'os.execute("rm -rf ~/.local/state/orcs")'`,
    `vim -c '!rm -rf ~/.local/state/orcs' -c q`,
    `vim -es -c 'call system("rm -rf ~/.local/state/orcs")' -c q`,
    `nvim --headless -c ':!echo > ~/.claude/settings.json' -c q`,
    `emacs --batch --eval '(delete-directory "~/.local/state/orcs" t)'`,
    `emacs --batch --eval '(shell-command "orcs trust --yes")'`,
    `node -e "require('fs').rmSync('${HOME}/.local',{recursive:true})"`,
    `node -e "require('child_process').execSync('rm -rf ~/.local/state/orcs')"`,
    `node -e "require('child_process').spawnSync('rm', ['-rf', '${STATE}'])"`,
    `node -e "require('fs').writeFileSync(process.env.HOME+'/.claude/settings.json', '{}')"`,
    `node -e "require('fs').writeFileSync(require('os').homedir()+'/.local/state/orcs/trust.json', '{}')"`,
    `node -e "const fs=require('fs'),p=require('path'); fs.rmSync(p.join(process.env.HOME,'.local','state','orcs'),{recursive:true})"`,
    `node -e 'require("fs").rmSync(\`\${process.env.HOME}/.local/state/orcs\`)'`,
    `node -e "require('fs').promises.rm('${HOME}/.local/state', {recursive: true})"`,
    `python3 -c "import shutil; shutil.rmtree('${HOME}/.local/state')"`,
    `python3 -c "import shutil,os; shutil.rmtree(os.path.expanduser('~/.local/state/orcs'))"`,
    `python3 -c "import shutil,os; shutil.rmtree(os.environ['HOME'] + '/.local/state/orcs')"`,
    `python3 -c "import os; os.remove(os.path.join(os.path.expanduser('~'), '.local', 'state', 'orcs', 'trust.json'))"`,
    `python3 -c "from pathlib import Path; (Path.home()/'.claude'/'settings.json').write_text('{}')"`,
    `python3 -c "from pathlib import Path; p = Path.home() / '.local/state/orcs/trust.json'; p.unlink()"`,
    `python3 -c "import json; p='.claude/settings.json'; d=json.load(open(p)); d.pop('hooks'); json.dump(d, open(p,'w'))"`,
    `python3 -c "import os; os.rename('${HOME}/.local/state', '/tmp/x')"`,
    `python3 -c "import os; f = f'{os.environ[\\"HOME\\"]}/.claude/settings.json'; open(f, 'w')"`,
    `python3 -c "import sys; open(sys.argv[1], 'w').write('{}')" .claude/settings.json`,
    `python3 -c "import sys,subprocess; subprocess.run(sys.argv[1:])" orcs trust --yes`,
    `node -e "require('fs').writeFileSync(process.argv[1], '{}')" ~/.claude/settings.json`,
    `python3 - ~/.claude/settings.json <<'E'\nimport sys\nopen(sys.argv[1], 'w').write('{}')\nE`,
    `python3 - <<'E'\nimport json\np = '.claude/settings.json'\nd = json.load(open(p))\ndel d['hooks']\nwith open(p, 'w') as f:\n    json.dump(d, f)\nE`,
    `python3 - <<'E'\nimport subprocess\nsubprocess.run(\n    ['orcs', 'trust', '--yes'],\n    check=True,\n)\nE`,
    `python3 - <<'E'\nimport pty\npty.spawn(['orcs', 'trust'])\nE`,
    `python3 - <<'E'\nfrom subprocess import run\nrun("orcs trust --yes", shell=True)\nE`,
    `node - <<'E'\nconst { execa } = require('execa')\nexeca('orcs', ['trust', '--yes'])\nE`,
    `bun -e 'import { $ } from "bun"; await $\`orcs trust --yes\`'`,
    `ruby -e 'File.write(File.expand_path("~/.claude/settings.json"), "{}")'`,
    `perl -i -pe 's/orcs//' ~/.claude/settings.json`,
    `perl -e 'open(F, ">", "$ENV{HOME}/.claude/settings.json")'`,
    `sqlite3 x.db '.shell rm -rf ~/.local/state/orcs'`,
    `sed '1e rm -rf ~/.local/state/orcs' x`,
    `gdb -batch -ex 'shell orcs trust --yes'`,
    `osascript -e 'do shell script "orcs trust --yes"'`,
  ],
  "6: a tree over it": lines(String.raw`
    cp -r /tmp/x/.claude ~
    cp -r /tmp/x/.claude ~/
    cp -rf /tmp/x/.local ~/
    cp -a /tmp/x/.codex $HOME
    cp -R /tmp/x/.claude .
    cp -r /tmp/x/.config ~
    cp -r /tmp/x/orcs ~/.config/
    cp -r /tmp/x/state ~/.local/
    cp -r /tmp/x/. ~/.claude/
    cp /tmp/x/* ~/.claude/
    cp /tmp/x/settings.json ~/.claude
    mv /tmp/x/settings.json ~/.claude/
    mv /tmp/.claude ~
    rsync -a /tmp/.claude ~/
    rsync -a /tmp/x/.local ~/
    rsync -a /tmp/claude/ ~/.claude/
    rsync -a --remove-source-files ~/.local/state/orcs/ /tmp/x/
    rsync -a --remove-source-files ~/.claude /tmp/x
    tar cf x.tar --remove-files ~/.local/state/orcs
    tar --remove-files -czf x.tgz .claude
    tar xf x.tar -C ~/.claude
    tar -xzf x.tgz -C .claude
    cd ~/.claude && tar xf x.tar
    tar xf x.tar -C ~/.local/state/orcs
    unzip -o x.zip -d ~/.claude
    unzip -o x.zip -d ~/.codex
    bsdtar -xf x.zip -C ~/.claude
    7z x x.7z -o$HOME/.claude
    zip -m x.zip .claude/settings.json
    zip -rm x.zip ~/.local/state/orcs
    ditto /tmp/x/.claude ~/.claude
    scp -r host:.claude ~
    install -D x ~/.claude/settings.json
    ln -sfn /tmp/x ~/.claude
    stow -t ~ .claude
  `),
  "7: git": lines(String.raw`
    git stash push -- .claude/settings.json
    git stash push .claude
    git stash -- .claude/settings.json
    git clean -fdx .claude
    git clean -fdx -- .claude
    git --work-tree=.claude checkout .
    git --work-tree=.claude checkout -f
    git --work-tree .claude checkout -f
    git update-index --skip-worktree .claude/settings.json
    git update-index --assume-unchanged .claude/settings.json
    git restore .claude/settings.json
    git restore --source HEAD~3 .claude
    git restore --staged --worktree .claude/settings.json
    git checkout HEAD~1 .claude/settings.json
    git checkout main -- .claude
    git mv .claude x
    git rm -r .claude
    git rm -rf --ignore-unmatch .claude/settings.json
    git -C .claude checkout settings.json
    git -C ~/.local/state/orcs checkout .
    git show HEAD:a > .claude/settings.json
    git archive HEAD -o .claude/settings.json
    git clone https://example.com/dotfiles ~/.claude
    git worktree add ~/.claude
    git config -f .codex/config.toml features.hooks false
    git apply <<< "$(printf '%s\n' '--- a/.claude/settings.json' '+++ b/.claude/settings.json')"
  `),
  "8: programs that write and are not known": lines(String.raw`
    sd orcs x ~/.claude/settings.json
    fastmod orcs x .claude/settings.json
    rpl orcs x .claude/settings.json
    comby -i orcs x .claude/settings.json
    ast-grep -U -p a -r b .claude/settings.json
    sg run -U -p a -r b .claude/settings.json
    jaq -i 'del(.hooks)' .claude/settings.json
    jq -i 'del(.hooks)' .claude/settings.json
    dasel put -f .claude/settings.json -v x hooks
    crudini --set ~/.codex/config.toml features hooks false
    xxd -r x ~/.local/state/orcs/trust.json
    uudecode -o ~/.local/state/orcs/trust.json x
    strace -o ~/.local/state/orcs/trust.json ls
    time -o ~/.local/state/orcs/trust.json ls
    /usr/bin/time -o .claude/settings.json ls
    hx .claude/settings.json
    kak -e 'exec d' .claude/settings.json
    sudoedit ~/.local/state/orcs/trust.json
    gio trash ~/.local/state/orcs
    srm -r ~/.local/state/orcs
    wipe -rf ~/.local/state/orcs
    rip ~/.local/state/orcs
    nu -c 'rm -rf ~/.local/state/orcs'
    bwrap --bind /tmp/x ~/.local/state/orcs ls
    mount --bind /tmp/x ~/.local/state/orcs
    mount --bind /tmp/x ~/.local/state
    umount ~/.local/state/orcs
    unshare -m mount --bind /tmp/x ~/.local/state
    ansible localhost -m file -a 'path=~/.local/state/orcs state=absent'
    mytool --fix .claude/settings.json
    ./scripts/fix.sh .claude/settings.json
    node scripts/fix.js ~/.claude/settings.json
    python3 fix.py .claude/settings.json
    sh fix.sh ~/.local/state/orcs
    sqlite3 ~/.local/state/orcs/state.db 'delete from a'
    mytool --out=$HOME/.local/state/orcs/trust.json
    trash-rm ~/.local/state/orcs
    gtrash put ~/.local/state/orcs
    rmtrash ~/.local/state/orcs
    rename orcs x ~/.local/state/orcs
    mmv ~/.local/state/orcs /tmp/x
    chezmoi apply ~/.claude/settings.json
    patch .claude/settings.json x.diff
    ex -sc '%d|x' .claude/settings.json
    ed .claude/settings.json
    nano ~/.claude/settings.json
    logrotate -f ~/.local/state/orcs
    setfattr -n user.x -v 1 ~/.local/state/orcs/trust.json
    chattr +i ~/.local/state/orcs
    socat -u FILE:x CREATE:$HOME/.local/state/orcs/trust.json
    docker run -v ~/.local/state/orcs:/s alpine rm -rf /s
    docker run -v ~/.claude:/c alpine rm /c/settings.json
    mkfs.ext4 ~/.local/state/orcs
    restic restore latest --target ~/.local/state/orcs
    borg extract x ~/.local/state/orcs
    tomlq -i -t 'del(.features)' ~/.codex/config.toml
    yq -i 'del(.hooks)' .claude/settings.json
    taplo fmt ~/.codex/config.toml
    gron -u x -o .claude/settings.json
  `),
  "9: orcs by another way": [
    ...lines(String.raw`
    cd ${PROGRAM}/dist/cli && node main.js trust --yes
    cd ${PROGRAM}/dist/cli; node main trust
    cd ${PROGRAM} && node dist/cli/main trust
    cd ${PROGRAM} && node . trust
    node ${PROGRAM} trust --yes
    node ${PROGRAM}/dist/cli/main trust
    node ../../opt/tools/node_modules/orcs/dist/cli/main trust
    node --enable-source-maps dist/../node_modules/orcs/dist/cli/main trust
    cp ${PROGRAM}/bin/orcs.cjs /tmp/o; node /tmp/o trust --yes
    cp -r ${PROGRAM} /tmp/o && node /tmp/o/dist/cli/main.js trust
    ln -s ${PROGRAM}/bin/orcs.cjs o && ./o trust
    ln -s $(which orcs) /tmp/o && /tmp/o trust --yes
    cp "$(command -v orcs)" o; ./o uninstall
    O=$(which orcs); $O trust
    O=orcs; command $O trust --yes
    alias o='orcs trust'; o --yes
    node -e "import('${PROGRAM}/dist/config/trust/trust-store.js').then(m => new m.TrustStore())"
    node --input-type=module -e "import { TrustStore } from '${PROGRAM}/dist/config/trust/trust-store.js'; new TrustStore()"
    node -e "require('${PROGRAM}/bin/orcs.cjs')" trust
    node -e "process.argv.push('trust'); import('${PROGRAM}/dist/cli/main.js')"
    node -e "import('./node_modules/orcs/dist/config/trust/trust-store.js')"
    node --import ${PROGRAM}/dist/cli/main.js -e 0 trust
    node -r ${PROGRAM}/bin/orcs.cjs x trust
    echo '@reboot orcs trust --yes' | crontab -
    (crontab -l; echo '* * * * * orcs trust --yes') | crontab -
    at now <<< 'orcs trust --yes'
    batch <<< 'orcs trust --yes'
    systemd-run --user orcs trust --yes
    systemd-run --user --on-active=5 sh -c 'orcs trust --yes'
    tmux send-keys -t x 'orcs trust --yes' Enter
    tmux send-keys -t x orcs Space trust Space --yes Enter
    screen -S x -X stuff 'orcs trust --yes^M'
    npm pkg set scripts.x='orcs trust --yes' && npm run x
    npm pkg set scripts.postinstall="orcs trust --yes"
    watch -n 1 orcs trust --yes
    entr -r orcs trust --yes < x
    echo 'orcs trust --yes' >> ~/.bashrc
    echo 'orcs trust --yes' >> ~/.zshrc
    echo 'orcs uninstall --yes' | tee -a ~/.profile
    printf 'orcs trust --yes\n' >> $HOME/.bash_profile
    echo "alias ls='orcs trust --yes; ls'" >> ~/.bashrc
    echo 'orcs trust --yes' > .git/hooks/post-commit
    echo 'PROMPT_COMMAND="orcs trust --yes"' >> ~/.bashrc
    ln -sf /bin/true $(which orcs)
    ln -sf /bin/true "$(command -v orcs)"
    rm "$(which orcs)"
    mv $(which orcs) /tmp/x
    cp /bin/true $(type -p orcs)
    echo 'exit 0' > $(which orcs)
    chmod -x $(which orcs)
    cp /bin/true ~/bin/orcs
    echo 'exit 0' > ~/.local/bin/orcs
    ln -sf /bin/true /usr/local/bin/orcs
    sudo rm /usr/local/bin/orcs
    mv /usr/bin/orcs /tmp
    npm i -g orcs@0.0.1
    npm install -g ./fake/orcs
    npm install --global orcs
    npm add -g orcs@latest
    npm update -g orcs
    pnpm add -g orcs@0.0.1
    yarn global add orcs@0.0.1
    bun add -g orcs@0.0.1
    npm rm --location=global orcs
    cd ${PROGRAM} && npm link
    cd fake/orcs && npm link
    npm link ./fake/orcs
    npm i -g github:me/orcs
    npm i -g https://example.com/orcs-1.0.0.tgz
    docker exec -it $(docker ps -q) true; orcs trust
    ssh localhost orcs trust --yes
    ssh me@127.0.0.1 'orcs trust --yes'
    ssh $(hostname) orcs trust
    nsenter -t 1 -m orcs trust
    su me -c 'orcs trust --yes'
    flock x orcs trust
    strace -f orcs trust
    dbus-run-session orcs trust
    firejail orcs trust
    unshare -r orcs trust
    gnome-terminal -- orcs trust --yes
    xterm -e 'orcs trust --yes'
    make -C x -f - <<< 'x: ; orcs trust'
    just --justfile /dev/stdin <<< 'x: ; orcs trust'
  `),
    "make -f - <<'E'\nx:\n\torcs trust --yes\nE",
    "make -f - <<'E'\nx:\n\t@npx orcs trust --yes\nE",
    "crontab - <<'E'\n* * * * * orcs trust --yes\nE",
    "crontab <<'E'\n@daily cd ~/x && orcs trust --yes\nE",
    "at now + 1 minute <<'E'\norcs uninstall --yes\nE",
    "cat >> ~/.bashrc <<'E'\norcs trust --yes\nE",
    "cat >> ~/.zshenv <<'E'\n(orcs trust --yes &)\nE",
    "cat > x <<'E'\norcs trust --yes\nE\ncrontab x",
    "cat > x.mk <<'E'\nx:\n\torcs trust --yes\nE\nmake -f x.mk",
    "cat > Makefile <<'E'\nx:\n\torcs trust --yes\nE\nmake x",
    "expect <<'E'\nspawn orcs trust\nexpect y\nsend y\\r\nE",
  ],
};

/** Everyday lines, and what was denied that should not have been. */
export const EVERYDAY: Readonly<Record<string, readonly string[]>> = {
  "the runtime folder in /tmp": lines(String.raw`
    tar xf x.tar -C /tmp
    unzip x.zip -d /tmp
    cp -r a/. /tmp
    rsync -a a/ /tmp/
    rsync -a --delete a/ /tmp/
    find /tmp -name '*.log' -delete
    find /tmp -mtime +1 -delete
    rm -rf /tmp/o*
    rm -rf /tmp/*
    rm -rf /run-of-nobody/o*
    chmod -R u+w /run-of-nobody
    tar xf x.tar -C /run-of-nobody
    find /run-of-nobody -delete
  `),
  "orcs in the project's own node_modules": lines(String.raw`
    rm -rf node_modules
    rm -rf ./node_modules package-lock.json
    npm ci
    npx rimraf node_modules
    git clean -fd
    git clean -fdx
    git checkout .
    chmod -R u+w .
    chown -R me .
    mv node_modules x
    find . -not -path './node_modules/*' -name '*.js' -delete
    find node_modules -name '*.d.ts' -delete
    rsync -a --delete ../x/node_modules/ node_modules/
    cp -r ../x/node_modules .
    rm -rf node_modules/.cache
    rm -rf node_modules/*
    rm -rf node_modules/o*
    tar xf node_modules.tar
    npm install
    npm update orcs
    npm install orcs@latest
    rm -rf node_modules && npm install
  `),
  "settings that stay": lines(String.raw`
    git restore --staged .claude/settings.json
    git restore -S .claude/settings.json
    git rm --cached .claude/settings.json
    git rm -r --cached .claude
    git reset .claude/settings.json
    git reset HEAD -- .claude/settings.json
    git update-index --refresh
    git add -f .claude/settings.json
    git commit -m x .claude/settings.json
    git log -p .claude/settings.json
    git blame .claude/settings.json
    git show HEAD:.claude/settings.json
    git check-ignore .claude/settings.json
    git ls-files .claude
    git stash -u
    git stash push -m wip
    git stash pop
    git reset --hard
    git reset --hard origin/main
    git checkout -- .
    git clean -fdx src
    chmod 644 .claude/settings.json
    chmod 600 ~/.claude/settings.json
    touch .claude/settings.json
    tar xf x.tar -C ~/.config
    tar -xzf nvim.tgz -C ~/.config
    unzip x.zip -d ~/.config
    git -C ~/.config pull
    git -C ~/.config checkout main
    mkdir -p .claude ~/.claude ~/.codex
    mkdir -p .claude/commands && cp x.md .claude/commands/
    cp -r skills/x ~/.claude/skills/
    cp agents/*.md .claude/agents/
    rm -rf .claude/worktrees/x
    rm -rf ~/.claude/projects/x
    rm .claude/commands/old.md
    ls -la ~/.claude ~/.codex
    cat ~/.codex/config.toml
    cp .claude/settings.json /tmp/settings.bak
    cp ~/.codex/config.toml config.example.toml
    diff .claude/settings.json /tmp/settings.bak
    jq . .claude/settings.json > /tmp/x.json
    jq -r '.hooks | keys[]' ~/.claude/settings.json
    python3 -m json.tool .claude/settings.json
    python3 -c "import json; print(json.load(open('.claude/settings.json')))"
    node -e "console.log(require('./.claude/settings.json').hooks)"
    wc -c .claude/settings.json
    sha256sum .claude/settings.json
    head -20 ~/.claude/settings.json
    grep -c hooks .claude/settings.json || true
    test -f .claude/settings.json && echo yes
    [ -f ~/.local/state/orcs/trust.json ] && echo yes
    if [[ -e .claude/settings.json ]]; then echo yes; fi
    stat -c %s ~/.local/state/orcs/trust.json
    tar czf backup.tgz .claude
    rsync -a ~/.claude/ /backup/claude/
    prettier --check .claude/settings.json
    npx prettier --check .claude/settings.json
    bat ~/.claude/settings.json
    find .claude -type f
    find ~/.claude -name '*.md'
    tree ~/.config/orcs
    du -sh ~/.local/state/orcs
    orcs check ~/.config/orcs/orcs.toml
    orcs test ~/.config/orcs
    orcs audit verify ~/.local/state/orcs/audit.jsonl
    tail -f ~/.local/state/orcs/audit.jsonl
    tail -n 5 ~/.local/state/orcs/audit.jsonl | jq .
    sqlite3 -readonly x.db .tables
  `),
  "other things called orcs": lines(String.raw`
    kill $(pgrep -f orcs-demo)
    killall orcs-server
    pkill -f orcs/node_modules/.bin/vite
    pkill -f /work/orcs/server.js
    systemctl --user stop orcs-web
    systemctl restart orcs-api.service
    npm uninstall @me/orcs
    npm i -g @me/orcs
    docker run --rm img orcs trust --yes
    docker exec c orcs trust --yes
    docker compose run app orcs trust --yes
    docker run --rm -v "$PWD:/w" img sh -c 'orcs trust --yes && orcs check'
    podman run img npx orcs trust --yes
    kubectl exec pod -- orcs trust --yes
    ssh host orcs trust
    ssh me@build.example.com 'cd x && orcs trust --yes'
    cd orcs && npm test
    cd ~/src/orcs && git pull
    git clone https://github.com/me/orcs
    git clone https://github.com/me/orcs ~/src/orcs
    rm -rf ~/src/orcs
    rm -rf /tmp/orcs
    mkdir orcs && cd orcs && npm init -y
    cp -r ../orcs/docs .
    mv ~/Downloads/orcs ~/src/
    docker rmi orcs
    docker stop orcs
    docker build -t orcs .
    gh repo clone me/orcs
    gh pr create --title 'Say when to run orcs trust --yes' --body 'orcs trust --yes'
    make orcs
    cargo run --bin orcs-demo
    node src/orcs.test.js
    npx vitest run test/orcs.test.ts
    ls node_modules/orcs
    cat node_modules/orcs/package.json
    npm ls orcs
    npm view orcs version
    npm outdated -g orcs
    which orcs
    command -v orcs || echo missing
    type orcs
    man orcs
    ORCS_LOG=debug orcs list
    cat $(which orcs)
    ls -l "$(command -v orcs)"
    ps aux | grep orcs
    pgrep -fl orcs
  `),
  "texts that only mention it": [
    ...lines(String.raw`
    echo 'orcs trust --yes' > x.sh; sh -n x.sh
    echo 'orcs trust --yes' > x.sh && bash -n x.sh && shellcheck x.sh
    python3 -c "print('run orcs trust --yes')"
    python3 -c "print('rm -rf ~/.local/state/orcs')"
    node -e "console.log('orcs trust --yes')"
    perl -e 'print "orcs trust --yes\n"'
    ruby -e 'puts "orcs trust --yes"'
    awk '/orcs trust --yes/ { print }' docs/trust.md
    sed -n '/orcs trust/p' docs/trust.md
    sed -i 's/orcs trust/orcs trust --yes/' docs/trust.md
    git commit -m "docs: orcs uninstall, orcs trust --yes"
    git log --grep 'orcs trust'
    echo "Run orcs trust --yes" >> README.md
    printf '%s\n' 'orcs trust --yes' | tee docs/x.md
    grep -rn "rm -rf ~/.local/state/orcs" docs
    echo 'See ~/.claude/settings.json and ~/.local/state/orcs' > notes.md
    echo "state: ~/.local/state/orcs" | tee -a notes.md
    jq -n '{run: "orcs trust --yes"}' > x.json
    gh issue create --title x --body 'rm -rf ~/.local/state/orcs'
    tldr orcs trust
    rg -n 'settings\.json' src | head
    ag 'trust\.json' .
    node --test test/trust.test.js
    vim -c 'set nu' README.md
    python3 -c "import re; print(re.findall('orcs trust', open('a.md').read()))"
  `),
    "cat > docs/x.md <<'EOF'\nRun `orcs trust --yes`, or remove ~/.local/state/orcs.\nThen edit ~/.claude/settings.json.\nEOF",
    "cat > x.sh <<'EOF'\norcs trust --yes\nEOF\nsh -n x.sh",
    "cat >> CHANGELOG.md <<EOF\n- orcs uninstall keeps ~/.local/state/orcs\nEOF\ngit add -A",
    "python3 - <<'E'\nfrom pathlib import Path\np = Path('README.md')\ns = p.read_text()\np.write_text(s.replace('x', 'Run `orcs trust --yes` first.'))\nE",
    "python3 - <<'E'\n# orcs trust --yes\nimport os\nos.makedirs('build', exist_ok=True)\nE",
    "python3 - <<'E'\nimport subprocess\n# then: orcs trust --yes\nsubprocess.run(['npm', 'test'])\nprint('now run orcs trust --yes')\nE",
    "node - <<'E'\nconst fs = require('fs')\nfs.writeFileSync('a.md', 'orcs uninstall')\nE",
    "git commit -F - <<'E'\nTrust says when it asks\n\norcs trust --yes no longer passes in ~/.claude/settings.json.\nE",
    "git commit -m \"$(cat <<'EOF'\nKeep ~/.local/state/orcs\n\norcs trust --yes\nEOF\n)\"",
    "gh pr create --title x --body \"$(cat <<'EOF'\n## What\n`orcs trust --yes` in .claude/settings.json\nEOF\n)\"",
  ],
  "what the shell alone will know": lines(String.raw`
    rm -rf "$TMPDIR/x"
    rm -rf "$(mktemp -d)"
    cd "$(mktemp -d)" && git init && touch a
    cd "$(git rev-parse --show-toplevel)" && npm test
    cd "$(git rev-parse --show-toplevel)" && rm -rf dist
    cd "$CLAUDE_PROJECT_DIR" && npm run build
    cd "$DIR" && rm -rf build && mkdir build
    cd - && ls
    cd "$OLDPWD" && make
    pushd src; make; popd
    f=$(ls -t *.log | head -1); rm "$f"
    for f in *.tmp; do rm "$f"; done
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
    find . -name '*.pyc' | xargs rm -f
    find . -name node_modules -prune -exec rm -rf {} +
    find . -type d -name __pycache__ -exec rm -rf {} +
    find . -type d -name dist -prune -exec rm -rf '{}' +
    find . -name '*.ts' -exec sed -i s/a/b/ {} +
    find . -name '.DS_Store' -delete
    find . -empty -type d -delete
    find src -name '*.js' -delete
    find . -name package.json -not -path '*/node_modules/*' -exec cat {} +
    find . -name '*.sh' -exec chmod +x {} +
    docker ps -aq | xargs docker rm
    docker rm $(docker ps -aq)
    kill $(lsof -ti:3000)
    lsof -ti:3000 | xargs kill -9
    ls *.log | xargs rm
    ls | xargs -n1 echo
    echo a b | xargs rm
    cat files.txt | xargs rm -f
    read -r v < VERSION; git tag "v$v"
    v=$(cat VERSION); sed -i "s/x/$v/" "src/$v.txt"
    out=$(mktemp); npm test > "$out"; tail "$out"; rm "$out"
    tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT; cp a "$tmp/"
    cp "$SRC" "$DST"
    mv "$1" "$2"
    rm -f "$HOME/$name.lock"
    echo "$X" > "$OUT"
    sed -i "s/a/$B/" "$FILE"
    tar xf "$T" -C "$D"
    printf -v x '%03d' 5; mv a "a$x"
    mapfile -t fs < <(git ls-files); wc -l "\${fs[@]}"
    set -- a b; rm "$1"
    d=$(dirname "$0"); rm -rf "$d/build"
    npm version patch && git push origin "v$(node -p 'require("./package.json").version')"
    touch "$(date +%F).md"
    rm -rf "build-$(uname -m)"
    cat ~/.claude/settings.json > "$OUT"
    rm -rf ~/.cache/$X
    rm -rf ~/x/root
    rm -rf /work-of-nobody/moved
    rm -rf ~/.npm/_cacache/$X
    cp x ~/bin/
    cp -r x ~/src/
    mkdir -p "$XDG_STATE_HOME/mine" && touch "$XDG_STATE_HOME/mine/a"
  `),
  everyday: lines(String.raw`
    git status
    git status --short && git diff
    git status && npm test
    git add -A && git commit -m 'fix the parser'
    git push origin HEAD
    git push --force-with-lease
    git pull --rebase
    git fetch --all --prune
    git checkout -b feature/x
    git switch main
    git merge --no-ff feature/x
    git rebase -i HEAD~3
    git rebase main
    git cherry-pick abc123
    git revert HEAD
    git restore src/a.ts
    git restore .
    git checkout -- src/a.ts
    git checkout HEAD~1 -- src
    git stash
    git stash list
    git stash drop
    git clean -n
    git clean -fd build
    git rm src/old.ts
    git mv a.ts b.ts
    git tag v1.0.0
    git worktree add ../x feature/x
    git worktree remove ../x
    git submodule update --init --recursive
    git bisect start
    git config user.name me
    git log --oneline -20
    git show HEAD --stat
    git diff main...HEAD -- src
    git apply x.patch
    git am < x.mbox
    git archive HEAD -o x.tar
    git update-index --chmod=+x x.sh
    git reflog
    git gc
    git init
    git remote -v
    git branch -D x
    git ls-files | wc -l
    git grep -n foo
    npm test
    npm run build
    npm run lint -- --fix
    npm i -D vitest
    npm install --save-dev typescript@latest
    npm uninstall lodash
    npm publish --dry-run
    npm version minor
    npm pkg set type=module
    npm pkg set scripts.build='tsc -p .'
    npm link
    npm link left-pad
    npm i -g typescript
    npm install -g npm@latest
    npm exec -- tsc --noEmit
    npx tsc -p .
    npx vitest run
    npx prettier --write .
    npx eslint --fix src
    npx playwright install
    npx create-vite@latest x
    pnpm install --frozen-lockfile
    pnpm -r build
    pnpm add zod
    yarn
    yarn add react
    bun test
    bun install
    deno test -A
    node --version
    node -p 'process.version'
    node -e 'console.log(1)'
    node -e "require('fs').writeFileSync('a.txt', 'x')"
    node -e "require('fs').rmSync('build', {recursive: true, force: true})"
    node -e "require('child_process').execSync('npm test', {stdio: 'inherit'})"
    node --test
    node --import tsx src/x.ts
    node -r dotenv/config src/x.js
    node dist/cli/main.js --help
    node dist/main.js serve
    node scripts/build.js --out dist
    tsx scripts/x.ts
    tsc --noEmit
    python3 -m pytest -q
    python3 -m venv .venv
    python3 -m http.server 8000
    python3 setup.py sdist
    python3 -c 'import sys; print(sys.version)'
    python3 -c "open('a.txt','w').write('x')"
    python3 -c "import shutil; shutil.rmtree('build', ignore_errors=True)"
    python3 -c "import subprocess; subprocess.run(['git', 'status'])"
    python3 -c "import os; os.system('make test')"
    python3 -c "import json,sys; d=json.load(sys.stdin); print(d['a'])" < x.json
    python3.12 -m pip install -r requirements.txt
    python3.12 script.py
    pip install -e .
    pip uninstall -y requests
    uv run pytest
    uv sync
    uv pip install x
    poetry run pytest
    poetry install
    pytest -k trust
    ruff check --fix .
    black .
    mypy src
    cargo build --release
    cargo test
    cargo clippy --fix
    cargo fmt
    rustup update
    go build ./...
    go test ./...
    go mod tidy
    gofmt -w .
    make
    make -j4 test
    make clean
    cmake -B build -S .
    cmake --build build
    ninja -C build
    bazel test //...
    gradle build
    mvn -q test
    bundle install
    bundle exec rspec
    rake db:migrate
    php artisan migrate
    composer install
    mix test
    swift build
    dotnet test
    docker build -t x .
    docker compose up -d
    docker compose down -v
    docker run --rm -it -v "$PWD:/w" -w /w node:20 npm test
    docker run --rm -v /tmp/x:/x alpine ls /x
    docker exec -it x bash
    docker logs -f x
    docker cp x:/a .
    docker system prune -f
    kubectl get pods
    kubectl apply -f k8s/
    kubectl delete pod x
    helm upgrade --install x ./chart
    terraform plan -out plan
    terraform apply plan
    aws s3 sync dist s3://x
    gcloud auth list
    gh pr list
    gh pr view 12 --comments
    gh run watch
    gh api repos/a/b/pulls
    curl -fsSL https://example.com/x.json
    curl -o x.tgz https://example.com/x.tgz
    curl -X POST http://localhost:3000/api/trust
    wget https://example.com/x.zip
    ls -la
    ls -R src | head -50
    ls ~
    pwd && ls
    cat package.json
    cat src/a.ts | head -40
    head -n 5 x.log
    tail -f x.log
    less README.md
    wc -l src/*.ts
    sort x | uniq -c | sort -rn
    cut -d, -f1 x.csv
    tr a-z A-Z < x
    awk '{print $1}' x
    awk -F: '{ s += $3 } END { print s }' x
    awk '{ print > "out.txt" }' x
    sed -n 1,20p src/a.ts
    sed -i 's/foo/bar/' src/a.ts
    sed -i '' 's/foo/bar/' src/a.ts
    perl -pi -e 's/foo/bar/g' src/*.ts
    perl -ne 'print if /foo/' x
    grep -rn foo src
    rg foo -g '*.ts'
    fd -e ts
    find . -name '*.ts' -newer x
    find . -type f -size +1M
    find src -name '*.test.ts' | wc -l
    xargs -a files.txt cat
    tee out.log < x
    diff -u a b > x.patch
    patch -p1 < x.patch
    cmp a b
    cp a b
    cp -r src dist
    cp -a dist/. /srv/www/
    cp -R templates/. .
    cp .env.example .env
    mv a b
    mv dist build
    mv *.log logs/
    mkdir -p a/b/c
    rmdir a
    rm a
    rm -rf dist coverage .turbo
    rm -f *.log
    rm -rf /tmp/build-x
    rm -rf ~/.cache/x
    rm -rf ~/.npm/_cacache
    ln -s ../a b
    ln -sf /usr/bin/python3 ~/bin/python
    touch a.txt
    touch src/new.ts && code src/new.ts
    chmod +x scripts/*.sh
    chmod -R 755 dist
    chown me:me x
    tar czf x.tgz dist
    tar xzf x.tgz
    tar xf x.tar -C build
    unzip -q x.zip
    zip -r x.zip dist
    gzip -k x
    rsync -av src/ host:/srv/
    rsync -a --delete dist/ /srv/www/
    rsync -a dotfiles/nvim ~/.config/
    scp x host:/tmp
    ssh host uptime
    ssh -t host 'cd /srv && git pull'
    ps aux | grep node
    pkill node
    pkill -f 'npm run dev'
    killall node
    kill -9 1234
    kill %1
    lsof -i :3000
    top -b -n1 | head
    df -h
    du -sh *
    free -m
    uname -a
    whoami
    id
    date -u +%FT%TZ
    env | sort
    export NODE_ENV=test && npm test
    NODE_ENV=production npm run build
    CI=1 npx vitest run --coverage
    unset FOO
    source .venv/bin/activate
    . ~/.nvm/nvm.sh && nvm use 20
    echo 'export PATH="$HOME/bin:$PATH"' >> ~/.bashrc
    echo 'alias ll="ls -l"' >> ~/.zshrc
    echo "alias g=git" | tee -a ~/.bashrc
    echo hello > out.txt
    echo "a=$A" >> .env
    printf '%s\n' a b > x
    yes | head
    seq 1 10
    sleep 1
    timeout 60 npm test
    nohup npm start > x.log 2>&1 &
    time npm test
    /usr/bin/time -v npm test
    strace -o /tmp/x.log ls
    watch -n1 ls
    tmux new -d -s x 'npm run dev'
    tmux send-keys -t x 'npm test' Enter
    screen -dmS x npm start
    crontab -l
    echo '0 3 * * * /srv/backup.sh' | crontab -
    at now + 1 hour -f job.sh
    systemctl status nginx
    sudo systemctl restart nginx
    systemctl --user list-units
    systemd-run --user npm start
    journalctl -u nginx -n 50
    sudo apt-get update
    sudo apt-get install -y jq
    brew install jq
    brew uninstall jq
    openssl rand -hex 16
    openssl req -x509 -newkey rsa:2048 -keyout key.pem -out cert.pem -days 1 -nodes
    ssh-keygen -t ed25519 -f /tmp/k -N ''
    jq .version package.json
    jq '.a = 1' x.json > y.json
    yq -i '.a = 1' x.yaml
    jq '.a=1' x.json | sponge x.json
    sqlite3 x.db 'select 1'
    psql -c 'select 1'
    redis-cli ping
    mysql -e 'show tables'
    sd foo bar src/a.ts
    fastmod foo bar src
    ast-grep -U -p a -r b src
    hx README.md
    gio trash old.txt
    trash old.txt
    bwrap --ro-bind / / ls
    mount | head
    xxd x | head
    xxd -r x y
    base64 -d x > y
    sha256sum dist/*
    hexdump -C x | head
    strings x
    file x
    bash -c 'npm test'
    sh -c "ls && pwd"
    bash scripts/x.sh
    ./scripts/release.sh --dry-run
    sh -n x.sh
    shellcheck scripts/*.sh
    eval "$(ssh-agent -s)"
    if [ -f a ]; then rm a; fi
    for i in 1 2 3; do echo $i; done
    test -d dist || mkdir dist
    [ -n "$CI" ] && npm ci
    (cd packages/a && npm test)
    cd src && ls && cd ..
    cd packages/a; npm test; cd -
    { echo a; echo b; } > x
    ! grep -q foo x
    which node npm
    type -a python3
    history | tail
    true
    claude --version
    codex --help
    gemini -p 'say hello'
    claude -p 'fix the tests'
    claude mcp list
    code .
    open dist/index.html
    ffmpeg -i a.mp4 b.gif
    convert a.png b.jpg
    pandoc a.md -o a.html
    gcc -o x x.c && ./x
    g++ -O2 x.cc -o x
    java -jar x.jar
    lua x.lua
    luac -p hooks/x.lua
    stylua hooks
    Rscript x.R
    julia x.jl
    ruby x.rb
    perl x.pl
    php x.php
    awk -f x.awk y
    vim -es -c '%s/a/b/' -c wq x.txt
    ex -sc '%s/a/b/|x' x.txt
    emacs --batch -l x.el
    expect x.exp
    gdb -batch -ex bt ./x core
    osascript -e 'display notification "done"'
    wrangler deploy
    vercel --prod
    fly deploy
    act -j test
    pre-commit run -a
    husky install
    lerna run build
    nx run-many -t test
    turbo run build
    vite build
    rollup -c
    esbuild src/a.ts --bundle --outfile=dist/a.js
    swc src -d dist
    webpack --mode production
    storybook build
    jest --watch
    mocha
    cypress run
    oxlint --fix
    biome check --write .
    dprint fmt
    knip
  `),
  "what docs/trust.md says is not recognised": lines(String.raw`
    python3 x.py
    npm test
    node -e "execSync(['or', 'cs trust'].join(''))"
    python3 -c "import base64; exec(base64.b64decode('b3JjcyB0cnVzdA=='))"
    a=$(echo H4sIAAAAAAAAA8svSi5WKCkqLS4BAJ+5zLAKAAAA | base64 -d | gunzip); $a
    rm -rf "$DIR"
    git stash -u
    git reset --hard
    git checkout other-branch
    claude --settings x.json -p 'go on'
  `),
  "with here-documents": [
    "cat > a.ts <<'EOF'\nexport const a = 1;\nEOF",
    "cat <<EOF > x.txt\n$A and $(date)\nEOF",
    "python3 - <<'E'\nimport json\nwith open('x.json', 'w') as f:\n    json.dump({'a': 1}, f)\nE",
    "python3 <<'E'\nimport os\nos.remove('a.txt')\nE",
    "node <<'E'\nrequire('fs').writeFileSync('a', 'b')\nE",
    "node --input-type=module <<'E'\nimport { writeFileSync } from 'node:fs'\nwriteFileSync('a', 'b')\nE",
    "psql <<'E'\nselect 1;\nE",
    "sh <<'E'\nnpm test\nE",
    "ssh host <<'E'\ncd /srv && git pull\nE",
    "make -f - <<'E'\nx:\n\techo hi\nE",
    "docker build - <<'E'\nFROM node:20\nRUN npm i -g orcs && orcs trust --yes\nE",
    "cat > Dockerfile <<'E'\nFROM node:20\nRUN npm i -g orcs\nE",
    "cat > .github/workflows/ci.yml <<'E'\n- run: npx orcs trust --yes\nE",
    "cat > Makefile <<'E'\ntest:\n\tnpm test\nE\nmake test",
    "cat >> ~/.bashrc <<'E'\nexport A=1\nE",
    "git apply <<'E'\n--- a/src/a.ts\n+++ b/src/a.ts\n@@ -1 +1 @@\n-a\n+b\nE",
  ],
};
