import type { Group } from "./rows.ts";

/** Ways to have another program run a command, and lines that look like them. */
export const INDIRECT: readonly Group[] = [
  {
    trick: "through another program",
    refuse: String.raw`
awk 'BEGIN{system("rm\x20-rf\x20~")}'
awk 'BEGIN{"rm -rf ~" | getline}'
perl -e 'exec qw(rm -rf /)'
perl -e 'system qw{git push --force}'
sed -n 'e rm -rf ~' f
sftp -o ProxyCommand='rm -rf ~' host
scp -S 'rm -rf ~' a b:
mosh --ssh='sh -c "rm -rf ~"' host
ssh -o ProxyCommand='rm -rf ~' host
rsync -e 'sh -c "rm -rf ~"' a b:
GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=alias.x GIT_CONFIG_VALUE_0='!rm -rf ~' git x
GIT_CONFIG_PARAMETERS="'alias.x=!rm -rf ~'" git x
git -c protocol.ext.allow=always clone 'ext::sh -c "rm -rf ~"' x
git -c core.sshCommand='rm -rf ~' fetch
ed f <<< '!rm -rf ~'
ENV='$(rm -rf ~)' sh -i -c :
sem -j 2 'rm -rf ~'
setarch x86_64 rm -rf ~
setarch -R rm -rf ~
linux64 rm -rf ~
bwrap --bind / / rm -rf ~
bwrap --dev-bind / / --proc /proc sh -c 'rm -rf ~'
capsh --drop=x -- -c 'rm -rf ~'
choom -n 100 rm -rf ~
rtk rm -rf ~
infisical run --command 'rm -rf ~'
chamber exec x -- rm -rf ~
cargo watch -s 'rm -rf ~'
cargo watch -- rm -rf ~
cargo-watch -s 'rm -rf ~'
socat - SYSTEM:'rm -rf ~'
emulate sh -c 'rm -rf ~'
emulate -R zsh -c 'rm -rf ~'
rsync -a --delete empty/ /
lvm lvremove -f vg/x
echo x | crontab -
`,
    pass: String.raw`
gdisk --list /dev/sda
gdisk -l /dev/sda
sg -p 'rm -rf ~' -r x
perl -e 'print join(" ", qw(a b))'
sed 's/rm -rf/x/g' f
sed -e 's/one/two/' f
sftp -b batch host
echo ',p' | ed -s f
make --eval 'x:;echo ok' x
printf 'x:\n\techo ok\n' > Makefile && make x
bwrap --ro-bind / / ls
ip netns list
ip addr show
choom -p 1
socat - TCP:localhost:80
btrfs subvolume list /
curl -o y https://x && echo "abc  y" | sha256sum -c && sh y
cargo watch -x test
lvm lvs
emulate -L zsh
sed '1e date' f
sed -n 's/e rm/x/p' f
scp -o ProxyCommand='ssh -W %h:%p jump' a b:
sftp -o ProxyJump=jump host
mosh --ssh='ssh -p 2222' host
rsync -e 'ssh -p 2222' a b:
GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=user.name GIT_CONFIG_VALUE_0='rm -rf ~' git log
git -c alias.x='!git log' x
GIT_SSH_COMMAND='ssh -i key' git fetch
sqlite3 x <<< '.schema'
ed f <<< '1p'
echo 'puts rm' | tclsh
sem -j 2 'gzip -9 big.log'
setarch x86_64 make
rtk git status
`,
  },
];
